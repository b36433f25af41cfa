package dev.forebay.workflows;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Urgency;
import io.temporal.api.enums.v1.ParentClosePolicy;
import io.temporal.workflow.ChildWorkflowCancellationType;
import io.temporal.workflow.ChildWorkflowOptions;
import io.temporal.workflow.Workflow;

/**
 * The children of a version's workflow, each under an id of its own, so that there is never a
 * second one at the same work.
 *
 * <p>A version's workflow ends only when an operator ends it. Then ingest and prewarm are asked to
 * stop: nobody wants their result. An eviction goes on: once it has fenced the version, only
 * finishing it lets the region take the version again.
 */
final class Children {

    private Children() {}

    static IngestWorkflow ingest(DatasetVersion version, Urgency urgency) {
        return Workflow.newChildWorkflowStub(
                IngestWorkflow.class,
                options(
                        version,
                        WorkflowIds.ingest(version),
                        ParentClosePolicy.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
                        urgency,
                        "Ingest " + version));
    }

    static PrewarmWorkflow prewarm(DatasetVersion version, RegionName region, Urgency urgency) {
        return Workflow.newChildWorkflowStub(
                PrewarmWorkflow.class,
                options(
                        version,
                        WorkflowIds.prewarm(version, region),
                        ParentClosePolicy.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
                        urgency,
                        "Fill %s with %s".formatted(region, version)));
    }

    static EvictWorkflow evict(DatasetVersion version, RegionName region) {
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
                .setPriority(Steps.priority(version, urgency))
                .setStaticSummary(summary)
                .build();
    }
}
