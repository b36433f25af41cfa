package dev.forebay.control.ledger;

import dev.forebay.workflows.activity.BudgetActivities;
import jakarta.inject.Singleton;

/** Checks the budgets of namespaces for workflows. */
@Singleton
public class BudgetActivitiesImpl implements BudgetActivities {

    private final Budgets budgets;

    BudgetActivitiesImpl(Budgets budgets) {
        this.budgets = budgets;
    }

    @Override
    public void requireBudget(String namespace) {
        budgets.require(namespace);
    }
}
