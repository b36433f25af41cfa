package dev.forebay.workflows.support;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.EvictWorkflow;
import dev.forebay.workflows.IngestWorkflow;
import dev.forebay.workflows.PrewarmWorkflow;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.message.Urgency;
import io.temporal.api.enums.v1.ParentClosePolicy;
import io.temporal.workflow.ChildWorkflowCancellationType;
import io.temporal.workflow.ChildWorkflowOptions;
import io.temporal.workflow.Workflow;

/**
 * The child workflows of a version's workflow. Each has a fixed id, so the same work never runs
 * twice at once.
 *
 * <p>A version's workflow ends only when an operator ends it. Temporal then cancels its ingest and
 * prewarm, because no client waits for their result. An eviction continues: after it has fenced the
 * version, only its end lets the region take the version again.
 */
public final class ChildWorkflows {

    private ChildWorkflows() {}

    public static IngestWorkflow ingest(DatasetVersion version, Urgency urgency) {
        return Workflow.newChildWorkflowStub(
                IngestWorkflow.class,
                options(
                        version,
                        WorkflowIds.ingest(version),
                        ParentClosePolicy.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
                        urgency,
                        "Ingest " + version));
    }

    public static PrewarmWorkflow prewarm(
            DatasetVersion version, RegionName region, Urgency urgency) {
        return Workflow.newChildWorkflowStub(
                PrewarmWorkflow.class,
                options(
                        version,
                        WorkflowIds.prewarm(version, region),
                        ParentClosePolicy.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
                        urgency,
                        "Fill %s with %s".formatted(region, version)));
    }

    public static EvictWorkflow evict(DatasetVersion version, RegionName region) {
        return Workflow.newChildWorkflowStub(
                EvictWorkflow.class,
                options(
                        version,
                        WorkflowIds.evict(version, region),
                        ParentClosePolicy.PARENT_CLOSE_POLICY_ABANDON,
                        Urgency.INTERACTIVE,
                        "Remove %s from %s".formatted(version, region)));
    }

    private static ChildWorkflowOptions options(
            DatasetVersion version,
            String id,
            ParentClosePolicy closing,
            Urgency urgency,
            String summary) {
        return ChildWorkflowOptions.newBuilder()
                .setWorkflowId(id)
                .setTaskQueue(TaskQueues.LIFECYCLE)
                .setParentClosePolicy(closing)
                .setCancellationType(ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED)
                .setPriority(ActivityStubs.priority(version, urgency))
                .setStaticSummary(summary)
                .build();
    }
}
