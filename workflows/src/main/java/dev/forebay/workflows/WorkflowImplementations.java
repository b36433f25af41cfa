package dev.forebay.workflows;

/** What a worker of {@link TaskQueues#LIFECYCLE} registers. */
public final class WorkflowImplementations {

    private WorkflowImplementations() {}

    /** Every workflow implementation, for {@code Worker.registerWorkflowImplementationTypes}. */
    public static Class<?>[] all() {
        return new Class<?>[] {
            DatasetVersionWorkflowImpl.class,
            IngestWorkflowImpl.class,
            PrewarmWorkflowImpl.class,
            EvictWorkflowImpl.class,
            EvictionSweepWorkflowImpl.class,
            DriftCheckWorkflowImpl.class
        };
    }
}
