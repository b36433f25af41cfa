package dev.forebay.control.engine;

import dev.forebay.control.ControlPlaneConfig;
import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.engine.TemporalCalls.NoSuchRunException;
import dev.forebay.control.engine.VersionWorkflows.VersionWorkflow;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.ResumeRequest;
import dev.forebay.workflows.message.TtlRequest;
import dev.forebay.workflows.message.UnpinRequest;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.client.WorkflowUpdateHandle;
import io.temporal.client.WorkflowUpdateTimeoutOrCancelledException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What can be asked of the workflow of a version, except {@link EnsureRequests}. Safe for use by
 * many threads.
 *
 * <p>Every call throws {@link ForebayException} with what the workflow refuses or failed with, or
 * {@code UNAVAILABLE} if it may or may not have been accepted; all may be sent again.
 */
@Singleton
public class DatasetVersions {

    private static final Duration BEYOND_WAIT = Duration.ofSeconds(5);

    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;
    private final VersionWorkflows workflows;
    private final TemporalCalls temporal;
    private final Duration queryTimeout;
    private final Duration requestTimeout;
    private final Duration evictionWait;

    DatasetVersions(
            DatasetCatalogue datasets,
            VersionCatalogue versions,
            VersionWorkflows workflows,
            TemporalCalls temporal,
            ServiceConfig service,
            ControlPlaneConfig config) {
        this.datasets = datasets;
        this.versions = versions;
        this.workflows = workflows;
        this.temporal = temporal;
        this.queryTimeout = service.temporal().queryTimeout();
        this.requestTimeout = service.temporal().requestTimeout();
        this.evictionWait = config.requests().evictionWait();
    }

    /**
     * What is known of a version: what its workflow says if it answers quickly, else what it said
     * last.
     *
     * @throws ForebayException {@code NOT_FOUND} if nobody ever asked for the version
     */
    public VersionStatus status(DatasetVersion version) {
        datasets.get(version.dataset());
        VersionStatus known =
                versions.find(version)
                        .orElseThrow(
                                () ->
                                        new ForebayException(
                                                ErrorCode.NOT_FOUND,
                                                "nobody has asked for version %s yet: ensure it in a region first"
                                                        .formatted(version)));
        return live(known);
    }

    /** As {@link #status}, but a version that nobody asked for is simply nowhere. */
    public VersionStatus statusOrNothing(DatasetVersion version) {
        Dataset dataset = datasets.get(version.dataset());
        return versions.find(version)
                .map(this::live)
                .orElseGet(
                        () ->
                                new VersionStatus(
                                        version, null, dataset.ttl(), List.of(), List.of()));
    }

    private VersionStatus live(VersionStatus known) {
        try {
            return PinExpiries.newest(
                    temporal.call(queryTimeout, () -> workflows.status(known.version())), known);
        } catch (ForebayException | NoSuchRunException unanswered) {
            return known;
        }
    }

    /** Takes a pin, or renews it if this id is there already. */
    public PinGrant pin(DatasetVersion version, PinRequest request) {
        datasets.get(version.dataset());
        try {
            return finished(
                    () -> workflows.update(version, "pin", newId("pin"), PinGrant.class, request),
                    requestTimeout);
        } catch (NoSuchRunException absent) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND,
                    "version %s is not in region %s: ensure it there first"
                            .formatted(version, request.region()),
                    absent);
        }
    }

    /** Lets go of a pin; does nothing if there is none. */
    public void unpin(DatasetVersion version, UnpinRequest request) {
        datasets.get(version.dataset());
        try {
            this.<@Nullable Void>finished(
                    () -> workflows.update(version, "unpin", newId("unpin"), Void.class, request),
                    requestTimeout);
        } catch (NoSuchRunException absent) {
            // Without a workflow there is no pin.
        }
    }

    /**
     * Removes the version from a region; does nothing if it is not there. Returns whether it is
     * gone: not so if it still goes on after the configured time.
     *
     * @param updateId the same for the same eviction
     */
    public boolean evict(DatasetVersion version, EvictRequest request, String updateId) {
        datasets.get(version.dataset());
        try {
            WorkflowUpdateHandle<@Nullable Void> accepted =
                    temporal.call(
                            () ->
                                    workflows.update(
                                            version, "evict", updateId, Void.class, request));
            return temporal.call(
                    evictionWait.plus(BEYOND_WAIT), () -> isOver(accepted, evictionWait));
        } catch (NoSuchRunException absent) {
            return true;
        }
    }

    private static boolean isOver(WorkflowUpdateHandle<?> accepted, Duration wait) {
        try {
            accepted.getResult(wait.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (WorkflowUpdateTimeoutOrCancelledException goesOn) {
            return false;
        }
    }

    /** As {@link #evict(DatasetVersion, EvictRequest, String)}, as an eviction of its own. */
    public boolean evict(DatasetVersion version, EvictRequest request) {
        return evict(version, request, newId("evict"));
    }

    /** Sets how long the version stays in a region after its last pin. */
    public void setTtl(DatasetVersion version, Duration ttl) {
        Dataset dataset = datasets.get(version.dataset());
        versions.add(version, dataset.ttl());
        Duration before = versions.find(version).map(VersionStatus::ttl).orElse(dataset.ttl());
        this.<@Nullable Void>finished(
                () ->
                        workflows.updateWithStart(
                                dataset,
                                new VersionWorkflow(version, before),
                                "setTtl",
                                newId("ttl"),
                                Void.class,
                                new TtlRequest(ttl)),
                requestTimeout);
    }

    /** Lets a region that is BLOCKED try again; does nothing if it is not. */
    public void resume(DatasetVersion version, ResumeRequest request) {
        datasets.get(version.dataset());
        try {
            this.<@Nullable Void>finished(
                    () -> workflows.update(version, "resume", newId("resume"), Void.class, request),
                    requestTimeout);
        } catch (NoSuchRunException absent) {
            // Without a workflow nothing is blocked.
        }
    }

    private <R extends @Nullable Object> R finished(
            Callable<WorkflowUpdateHandle<R>> update, Duration wait) {
        WorkflowUpdateHandle<R> accepted = temporal.call(update);
        return temporal.call(wait.plus(BEYOND_WAIT), () -> result(accepted, wait));
    }

    private static <R extends @Nullable Object> R result(
            WorkflowUpdateHandle<R> accepted, Duration wait) {
        try {
            return accepted.getResult(wait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (WorkflowUpdateTimeoutOrCancelledException goesOn) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "accepted, but not finished within %d s; the request may be sent again"
                            .formatted(wait.toSeconds()),
                    goesOn);
        }
    }

    private static String newId(String kind) {
        return kind + "-" + UUID.randomUUID();
    }
}
