package dev.forebay.workflows.activity;

import io.temporal.activity.ActivityInterface;

/** What namespaces may still cost; on {@link dev.forebay.workflows.TaskQueues#LIFECYCLE}. */
@ActivityInterface
public interface BudgetActivities {

    /**
     * Fails with BUDGET_SPENT, which may be tried again, while filling that nobody waits for has to
     * wait.
     */
    void requireBudget(String namespace);
}
