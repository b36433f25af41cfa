package dev.forebay.control.temporal;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.client.WorkflowUpdateHandle;
import io.temporal.client.WorkflowUpdateTimeoutOrCancelledException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends updates to the workflows of versions and waits for their results. Thread-safe.
 *
 * <p>If the catalogue knows that regions have a version, but its workflow does not run, an operator
 * has ended it. The next workflow then starts with the status in the catalogue.
 */
@Singleton
public class UpdateSender {

    private static final Duration BEYOND_WAIT = Duration.ofSeconds(5);

    private final VersionCatalogue versions;
    private final VersionWorkflows workflows;
    private final TemporalCalls temporal;

    UpdateSender(VersionCatalogue versions, VersionWorkflows workflows, TemporalCalls temporal) {
        this.versions = versions;
        this.workflows = workflows;
        this.temporal = temporal;
    }

    /**
     * An update to the workflow of a version.
     *
     * @param id the same for a repeated update
     */
    public record Update<R extends @Nullable Object>(
            DatasetVersion version, String name, String id, Class<R> result, Object request) {}

    /**
     * Sends an update, and starts the workflow if it does not run. Returns once the update is
     * accepted.
     */
    public <R extends @Nullable Object> WorkflowUpdateHandle<R> start(
            Dataset dataset, Update<R> update) {
        VersionStatus known = known(dataset, update.version());
        return temporal.call(
                () ->
                        workflows.updateWithStart(
                                dataset,
                                known,
                                update.name(),
                                update.id(),
                                update.result(),
                                update.request()));
    }

    /** Sends an update. Returns empty if no workflow runs and no region has the version. */
    public <R extends @Nullable Object> Optional<WorkflowUpdateHandle<R>> send(
            Dataset dataset, Update<R> update) {
        try {
            return Optional.of(
                    temporal.call(
                            () ->
                                    workflows.update(
                                            update.version(),
                                            update.name(),
                                            update.id(),
                                            update.result(),
                                            update.request())));
        } catch (NoSuchRunException absent) {
            return VersionWorkflows.isSomewhere(known(dataset, update.version()))
                    ? Optional.of(start(dataset, update))
                    : Optional.empty();
        }
    }

    /**
     * Waits for an update. Returns whether it is done.
     *
     * @throws ForebayException the workflow's refusal or failure; {@code UNAVAILABLE} if the
     *     workflow ended meanwhile
     */
    public boolean isDone(WorkflowUpdateHandle<?> accepted, Duration wait) {
        try {
            return temporal.call(
                    wait.plus(BEYOND_WAIT),
                    () -> {
                        try {
                            accepted.getResult(wait.toMillis(), TimeUnit.MILLISECONDS);
                            return true;
                        } catch (WorkflowUpdateTimeoutOrCancelledException goesOn) {
                            return false;
                        }
                    });
        } catch (NoSuchRunException ended) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the workflow was ended meanwhile: retry the request",
                    ended);
        }
    }

    /**
     * Waits for the result of an update, as {@link #isDone}.
     *
     * @throws ForebayException also {@code UNAVAILABLE} if it is not done in time
     */
    public <R extends @Nullable Object> R result(WorkflowUpdateHandle<R> accepted, Duration wait) {
        if (!isDone(accepted, wait)) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "accepted, but not finished within %d s: retry the request"
                            .formatted(wait.toSeconds()));
        }
        return temporal.call(() -> accepted.getResult());
    }

    private VersionStatus known(Dataset dataset, DatasetVersion version) {
        return versions.find(version)
                .orElseGet(
                        () ->
                                new VersionStatus(
                                        version, null, dataset.ttl(), List.of(), List.of()));
    }
}
