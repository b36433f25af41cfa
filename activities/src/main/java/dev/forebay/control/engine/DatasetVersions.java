package dev.forebay.control.engine;

import dev.forebay.control.ControlPlaneConfig;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.engine.UpdateSender.Update;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import dev.forebay.workflows.message.AbandonRequest;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.ResumeRequest;
import dev.forebay.workflows.message.TtlRequest;
import dev.forebay.workflows.message.UnpinRequest;
import io.temporal.client.WorkflowUpdateHandle;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What can be asked of the workflow of a version, except {@link EnsureRequests}. Safe for use by
 * many threads.
 *
 * <p>Every call throws {@link ForebayException} with what the workflow refuses or failed with,
 * {@code NOT_FOUND} for an unknown dataset or a version that nobody ever asked for, or {@code
 * UNAVAILABLE} if it may or may not have been accepted; all may be sent again.
 */
@Singleton
public class DatasetVersions {

    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;
    private final UpdateSender updates;
    private final Duration requestTimeout;
    private final Duration evictionWait;

    DatasetVersions(
            DatasetCatalogue datasets,
            VersionCatalogue versions,
            UpdateSender updates,
            ServiceConfig service,
            ControlPlaneConfig config) {
        this.datasets = datasets;
        this.versions = versions;
        this.updates = updates;
        this.requestTimeout = service.temporal().requestTimeout();
        this.evictionWait = config.requests().evictionWait();
    }

    /**
     * Takes a pin, or renews it if its holder has one with this id already. {@code NOT_FOUND} also
     * if the dataset was deleted.
     */
    public PinGrant pin(DatasetVersion version, PinRequest request) {
        datasets.require(version.dataset());
        return send(new Update<>(version, "pin", newId("pin"), PinGrant.class, request))
                .map(accepted -> updates.result(accepted, requestTimeout))
                .orElseThrow(
                        () ->
                                new ForebayException(
                                        ErrorCode.NOT_FOUND,
                                        "version %s is not in region %s: 'forebay ensure %s --region %s' brings it there"
                                                .formatted(
                                                        version,
                                                        request.region(),
                                                        version,
                                                        request.region())));
    }

    /** Lets go of a pin; does nothing if the version has no such pin. */
    public void unpin(DatasetVersion version, UnpinRequest request) {
        tell(version, "unpin", request);
    }

    /** Lets a region that is BLOCKED try again; does nothing if it is not. */
    public void resume(DatasetVersion version, ResumeRequest request) {
        tell(version, "resume", request);
    }

    /**
     * Gives up a region that is BLOCKED, with what it holds; does nothing if it is not. Returns
     * whether that is over: not so if it still goes on after the configured time.
     */
    public boolean abandon(DatasetVersion version, AbandonRequest request) {
        return send(new Update<>(version, "abandon", newId("abandon"), Void.class, request))
                .map(accepted -> updates.isDone(accepted, evictionWait))
                .orElse(true);
    }

    /** As {@link #evict(DatasetVersion, EvictRequest, String)}, as an eviction of its own. */
    public boolean evict(DatasetVersion version, EvictRequest request) {
        return evict(version, request, newId("evict"));
    }

    /**
     * Removes the version from a region; does nothing if it is not there. Returns whether it is
     * gone: not so if it still goes on after the configured time.
     *
     * @param updateId the same for the same eviction
     */
    public boolean evict(DatasetVersion version, EvictRequest request, String updateId) {
        return send(new Update<>(version, "evict", updateId, Void.class, request))
                .map(accepted -> updates.isDone(accepted, evictionWait))
                .orElse(true);
    }

    /** Sets how long the version stays in a region after its last pin. */
    public void setTtl(DatasetVersion version, Duration ttl) {
        Update<@Nullable Void> update =
                new Update<>(version, "setTtl", newId("ttl"), Void.class, new TtlRequest(ttl));
        // A version that is nowhere has a TTL too: for when it is somewhere again.
        WorkflowUpdateHandle<@Nullable Void> accepted =
                send(update)
                        .orElseGet(() -> updates.start(datasets.get(version.dataset()), update));
        updates.result(accepted, requestTimeout);
    }

    private void tell(DatasetVersion version, String name, Object request) {
        send(new Update<@Nullable Void>(version, name, newId(name), Void.class, request))
                .ifPresent(accepted -> updates.result(accepted, requestTimeout));
    }

    /**
     * Sends an update to the version's workflow; empty if there is none, and nothing anywhere for
     * one to be about. The workflow is asked before the catalogue, which may have been lost.
     */
    private <R extends @Nullable Object> Optional<WorkflowUpdateHandle<R>> send(Update<R> update) {
        DatasetVersion version = update.version();
        Optional<WorkflowUpdateHandle<R>> accepted =
                updates.send(datasets.get(version.dataset()), update);
        if (accepted.isEmpty() && versions.find(version).isEmpty()) {
            throw versions.unknown(version);
        }
        return accepted;
    }

    private static String newId(String kind) {
        return kind + "-" + UUID.randomUUID();
    }
}
