package dev.forebay.control.engine;

import dev.forebay.control.ledger.Budgets;
import dev.forebay.workflows.activity.BudgetActivities;
import jakarta.inject.Singleton;

/** Checks the budgets of namespaces for workflows. */
@Singleton
class BudgetActivitiesImpl implements BudgetActivities {

    private final Budgets budgets;

    BudgetActivitiesImpl(Budgets budgets) {
        this.budgets = budgets;
    }

    @Override
    public void requireBudget(String namespace) {
        budgets.require(namespace);
    }
}
