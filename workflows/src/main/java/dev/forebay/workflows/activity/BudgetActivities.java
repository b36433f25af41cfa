package dev.forebay.workflows.activity;

import io.temporal.activity.ActivityInterface;

/** Checks the budgets of namespaces. Runs on {@link dev.forebay.workflows.TaskQueues#LIFECYCLE}. */
@ActivityInterface
public interface BudgetActivities {

    /**
     * Fails with BUDGET_SPENT, which is retryable, while speculative fills of the namespace have to
     * wait.
     */
    void requireBudget(String namespace);
}
