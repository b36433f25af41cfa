package dev.forebay.control.engine;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.DatasetVersionWorkflow;
import dev.forebay.workflows.Descriptions;
import dev.forebay.workflows.Revision;
import dev.forebay.workflows.SearchAttributes;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.message.ReadReport;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.VersionInput;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.api.enums.v1.WorkflowExecutionStatus;
import io.temporal.api.enums.v1.WorkflowIdConflictPolicy;
import io.temporal.api.enums.v1.WorkflowIdReusePolicy;
import io.temporal.api.failure.v1.Failure;
import io.temporal.api.workflow.v1.PendingActivityInfo;
import io.temporal.api.workflow.v1.WorkflowExecutionInfo;
import io.temporal.client.UpdateOptions;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowTargetOptions;
import io.temporal.client.WorkflowUpdateHandle;
import io.temporal.client.WorkflowUpdateStage;
import io.temporal.common.converter.DataConverterException;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The workflows of versions, as Temporal's client addresses them. Calls block and fail as that
 * client does: make them through {@link TemporalCalls}. Safe for use by many threads.
 */
@Singleton
class VersionWorkflows {

    private final WorkflowClient client;

    VersionWorkflows(WorkflowClient client) {
        this.client = client;
    }

    /**
     * Sends an update, starting the workflow if it does not run, and returns once the update is
     * accepted, that is in the workflow's history.
     *
     * @param known what the new workflow begins with
     */
    <R extends @Nullable Object> WorkflowUpdateHandle<R> updateWithStart(
            Dataset dataset,
            VersionStatus known,
            String updateName,
            String updateId,
            Class<R> result,
            Object request) {
        VersionInput input =
                new VersionInput(
                        known.version(),
                        dataset.source().bucket(),
                        dataset.source().prefix(),
                        known.ttl(),
                        isSomewhere(known) ? known : null);
        return client.newUntypedWorkflowStub("DatasetVersion", options(input))
                .startUpdateWithStart(
                        options(updateName, updateId, result),
                        new Object[] {request},
                        new Object[] {input});
    }

    /** Whether a region has, had half, or was refused the version. */
    static boolean isSomewhere(VersionStatus status) {
        return status.regions().stream()
                .anyMatch(residency -> residency.state() != Residency.State.ABSENT);
    }

    /** Sends an update to the workflow, if it runs. */
    <R extends @Nullable Object> WorkflowUpdateHandle<R> update(
            DatasetVersion version,
            String updateName,
            String updateId,
            Class<R> result,
            Object request) {
        return client.newUntypedWorkflowStub(WorkflowIds.version(version))
                .startUpdate(options(updateName, updateId, result), request);
    }

    /** Tells the workflow, if it runs, that the version was read. */
    void read(DatasetVersion version, ReadReport report) {
        client.newUntypedWorkflowStub(WorkflowIds.version(version)).signal("read", report);
    }

    /** Tells the workflow, if it runs, that a region that was complete may not be any more. */
    void upkeep(DatasetVersion version, RegionName region) {
        client.newUntypedWorkflowStub(WorkflowIds.version(version)).signal("upkeep", region);
    }

    /** How far the workflow of a version has come that runs; empty if the last one is over. */
    Optional<Revision> revision(DatasetVersion version) {
        WorkflowExecutionInfo info =
                client.newUntypedWorkflowStub(WorkflowIds.version(version))
                        .describe()
                        .getRawDescription()
                        .getWorkflowExecutionInfo();
        return info.getStatus() == WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING
                ? Optional.of(new Revision(started(info).toEpochMilli(), info.getHistoryLength()))
                : Optional.empty();
    }

    private static Instant started(WorkflowExecutionInfo info) {
        return Instant.ofEpochSecond(
                info.getStartTime().getSeconds(), info.getStartTime().getNanos());
    }

    /** An update that a certain run accepted. */
    <R> WorkflowUpdateHandle<R> accepted(
            String workflowId, String runId, String updateId, Class<R> result) {
        return client.newUntypedWorkflowStub(
                        WorkflowTargetOptions.newBuilder()
                                .setWorkflowId(workflowId)
                                .setRunId(runId)
                                .build())
                .getUpdateHandle(updateId, result);
    }

    /** What the workflow, running or over, says of itself. */
    VersionStatus status(DatasetVersion version) {
        return client.newWorkflowStub(DatasetVersionWorkflow.class, WorkflowIds.version(version))
                .status();
    }

    /** The activities that a workflow has scheduled and that are not done; none if it is over. */
    List<PendingActivityInfo> pendingActivities(String workflowId) {
        return client.newUntypedWorkflowStub(workflowId)
                .describe()
                .getRawDescription()
                .getPendingActivitiesList();
    }

    /** Whether a run of any workflow is over. */
    boolean isOver(String workflowId, String runId) {
        return client.newUntypedWorkflowStub(
                                WorkflowTargetOptions.newBuilder()
                                        .setWorkflowId(workflowId)
                                        .setRunId(runId)
                                        .build())
                        .describe()
                        .getStatus()
                != WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;
    }

    /**
     * What an activity's last heartbeat carried; empty if there was none, or it is of another kind.
     */
    <T> Optional<T> heartbeat(PendingActivityInfo activity, Class<T> kind) {
        if (!activity.hasHeartbeatDetails()) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(
                    client.getOptions()
                            .getDataConverter()
                            .fromPayloads(
                                    0, Optional.of(activity.getHeartbeatDetails()), kind, kind));
        } catch (DataConverterException ofAnotherRelease) {
            return Optional.empty();
        }
    }

    /** What a failure was before Temporal wrote it down. */
    RuntimeException failure(Failure written) {
        return client.getOptions().getDataConverter().failureToException(written);
    }

    private static <R extends @Nullable Object> UpdateOptions<R> options(
            String name, String id, Class<R> result) {
        return UpdateOptions.newBuilder(result)
                .setUpdateName(name)
                .setUpdateId(id)
                .setWaitForStage(WorkflowUpdateStage.ACCEPTED)
                .build();
    }

    private static WorkflowOptions options(VersionInput input) {
        DatasetVersion version = input.version();
        return WorkflowOptions.newBuilder()
                .setWorkflowId(WorkflowIds.version(version))
                .setTaskQueue(TaskQueues.LIFECYCLE)
                .setWorkflowIdConflictPolicy(
                        WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING)
                .setWorkflowIdReusePolicy(
                        WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)
                .setTypedSearchAttributes(
                        io.temporal.common.SearchAttributes.newBuilder()
                                .set(SearchAttributes.DATASET, version.dataset().toString())
                                .set(SearchAttributes.NAMESPACE, version.dataset().namespace())
                                .set(SearchAttributes.VERSION, version.version())
                                .build())
                .setStaticSummary(Descriptions.summary(input))
                .setStaticDetails(Descriptions.details(input))
                .build();
    }
}
