package dev.forebay.workflows.version;

import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.evict.EvictWorkflowImpl;
import dev.forebay.workflows.evict.EvictionSweepWorkflowImpl;
import dev.forebay.workflows.fill.PrewarmWorkflowImpl;
import dev.forebay.workflows.ingest.DriftCheckWorkflowImpl;
import dev.forebay.workflows.ingest.IngestWorkflowImpl;

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
