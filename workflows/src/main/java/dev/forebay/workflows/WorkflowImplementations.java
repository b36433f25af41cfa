package dev.forebay.workflows;

/** The workflow types that a worker of {@link TaskQueues#LIFECYCLE} registers. */
public final class WorkflowImplementations {

    private WorkflowImplementations() {}

    /**
     * Returns every workflow implementation, for {@code
     * Worker.registerWorkflowImplementationTypes}.
     */
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
