package dev.forebay.control.requests;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.NewVersions;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.IngestWorkflow;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.input.IngestInput;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.api.enums.v1.WorkflowIdConflictPolicy;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Freezes versions on request, without a region. Thread-safe.
 *
 * <p>Runs beside the version's own workflow, which starts with the first region. If both list the
 * source at once, the manifest that is stored first wins.
 */
@Singleton
public class FreezeRequests {

    private static final Duration BEYOND_WAIT = Duration.ofSeconds(5);

    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;
    private final NewVersions newVersions;
    private final VersionReader reader;
    private final WorkflowClient client;
    private final TemporalCalls temporal;

    FreezeRequests(
            DatasetCatalogue datasets,
            VersionCatalogue versions,
            NewVersions newVersions,
            VersionReader reader,
            WorkflowClient client,
            TemporalCalls temporal) {
        this.datasets = datasets;
        this.versions = versions;
        this.newVersions = newVersions;
        this.reader = reader;
        this.client = client;
        this.temporal = temporal;
    }

    /**
     * Freezes a version, or joins a freeze that is running, and waits for at most {@code wait}.
     * Returns whether the version is frozen. Does nothing if it was frozen before.
     *
     * @throws ForebayException {@code NOT_FOUND} if the dataset is unknown or deleted; the failure
     *     of the listing; {@code UNAVAILABLE} if Temporal does not answer
     */
    public boolean freeze(DatasetVersion version, Duration wait) {
        Dataset dataset = datasets.require(version.dataset());
        if (isFrozen(version)) {
            return true;
        }
        Optional<VersionStatus> lost = reader.frozen(version);
        newVersions.enter(version, dataset.ttl(), true);
        if (lost.isPresent()) {
            // Only the catalogue has lost the version. Its name must never get other bytes.
            versions.replace(lost.get(), 0);
            return true;
        }
        WorkflowOptions options =
                WorkflowOptions.newBuilder()
                        .setWorkflowId(WorkflowIds.freeze(version))
                        .setTaskQueue(TaskQueues.LIFECYCLE)
                        .setWorkflowIdConflictPolicy(
                                WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING)
                        .setStaticSummary("Freeze " + version)
                        .build();
        try {
            return temporal.call(
                    wait.plus(BEYOND_WAIT),
                    () -> {
                        IngestWorkflow freezing =
                                client.newWorkflowStub(IngestWorkflow.class, options);
                        var _ =
                                WorkflowClient.start(
                                        freezing::run,
                                        new IngestInput(version, Urgency.INTERACTIVE));
                        return isDone(WorkflowStub.fromTyped(freezing), wait);
                    });
        } catch (NoSuchRunException ended) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the freeze of %s was terminated in Temporal: start it again with 'forebay freeze %s'"
                            .formatted(version, version),
                    ended);
        } catch (ForebayException failed) {
            if (!failed.retryable()) {
                // The name would otherwise prevent another version from being the dataset's first.
                newVersions.forgetUnfrozen(version);
            }
            throw failed;
        }
    }

    private boolean isFrozen(DatasetVersion version) {
        return versions.find(version).filter(it -> it.manifest() != null).isPresent();
    }

    private static boolean isDone(WorkflowStub freezing, Duration wait) {
        try {
            var _ = freezing.getResult(wait.toMillis(), TimeUnit.MILLISECONDS, ManifestRef.class);
            return true;
        } catch (TimeoutException goesOn) {
            return false;
        }
    }
}
