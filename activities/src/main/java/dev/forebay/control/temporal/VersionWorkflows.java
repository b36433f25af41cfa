package dev.forebay.control.temporal;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.DatasetVersionWorkflow;
import dev.forebay.workflows.Descriptions;
import dev.forebay.workflows.Revision;
import dev.forebay.workflows.SearchAttributes;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.input.VersionInput;
import dev.forebay.workflows.message.ReadReport;
import dev.forebay.workflows.message.Residency;
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
 * Wraps Temporal's client for the workflows of versions. Calls block and fail as that client does,
 * so callers go through {@link TemporalCalls}. Thread-safe.
 */
@Singleton
public class VersionWorkflows {

    private final WorkflowClient client;

    VersionWorkflows(WorkflowClient client) {
        this.client = client;
    }

    /**
     * Sends an update, and starts the workflow if it does not run. Returns once the update is
     * accepted and is in the workflow's history.
     *
     * @param known the status with which a new workflow starts
     */
    <R extends @Nullable Object> WorkflowUpdateHandle<R> updateWithStart(
            Dataset dataset,
            VersionStatus known,
            String updateName,
            String updateId,
            Class<R> result,
            Object request) {
        VersionInput input =
                new VersionInput(known.version(), known.ttl(), isSomewhere(known) ? known : null);
        return client.newUntypedWorkflowStub("DatasetVersion", options(dataset, known.version()))
                .startUpdateWithStart(
                        options(updateName, updateId, result),
                        new Object[] {request},
                        new Object[] {input});
    }

    /** Returns whether any region is in a state other than ABSENT. */
    public static boolean isSomewhere(VersionStatus status) {
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

    /** Signals to the workflow, if it runs, that the version was read. */
    public void read(DatasetVersion version, ReadReport report) {
        client.newUntypedWorkflowStub(WorkflowIds.version(version)).signal("read", report);
    }

    /** Signals to the workflow, if it runs, that a complete region may have become incomplete. */
    public void upkeep(DatasetVersion version, RegionName region) {
        client.newUntypedWorkflowStub(WorkflowIds.version(version)).signal("upkeep", region);
    }

    /** Returns the revision of the running workflow; empty if the last run is over. */
    public Optional<Revision> revision(DatasetVersion version) {
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

    /** Returns the handle of an update that a known run accepted. */
    public <R> WorkflowUpdateHandle<R> accepted(
            String workflowId, String runId, String updateId, Class<R> result) {
        return client.newUntypedWorkflowStub(
                        WorkflowTargetOptions.newBuilder()
                                .setWorkflowId(workflowId)
                                .setRunId(runId)
                                .build())
                .getUpdateHandle(updateId, result);
    }

    /** Queries the status of the workflow, which may run or be over. */
    public VersionStatus status(DatasetVersion version) {
        return client.newWorkflowStub(DatasetVersionWorkflow.class, WorkflowIds.version(version))
                .status();
    }

    /** Returns the scheduled activities of a workflow that are not done; none if it is over. */
    public List<PendingActivityInfo> pendingActivities(String workflowId) {
        return client.newUntypedWorkflowStub(workflowId)
                .describe()
                .getRawDescription()
                .getPendingActivitiesList();
    }

    /** Returns whether a run of any workflow is over. */
    public boolean isOver(String workflowId, String runId) {
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
     * Returns the details of an activity's last heartbeat; empty if there was none, or it has
     * another type.
     */
    public <T> Optional<T> heartbeat(PendingActivityInfo activity, Class<T> kind) {
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

    /** Returns the exception that Temporal has stored. */
    public RuntimeException failure(Failure written) {
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

    private static WorkflowOptions options(Dataset dataset, DatasetVersion version) {
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
                .setStaticSummary(Descriptions.summary(version))
                .setStaticDetails(
                        Descriptions.details(
                                version, dataset.source().bucket(), dataset.source().prefix()))
                .build();
    }
}
