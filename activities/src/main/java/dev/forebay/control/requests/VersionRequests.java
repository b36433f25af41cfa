package dev.forebay.control.requests;

import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.temporal.UpdateSender;
import dev.forebay.control.temporal.UpdateSender.Update;
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
 * Sends requests to the workflow of a version, except those of {@link EnsureRequests}. Thread-safe.
 *
 * <p>Every call throws {@link ForebayException} with the workflow's refusal or failure, or with
 * {@code NOT_FOUND} for an unknown dataset or version. It throws {@code UNAVAILABLE} if the
 * workflow may or may not have accepted the request. Every call may be repeated.
 */
@Singleton
public class VersionRequests {

    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;
    private final UpdateSender updates;
    private final Duration requestTimeout;
    private final Duration evictionWait;

    VersionRequests(
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
     * Takes a pin, or renews it if its owner has one with this id. Throws {@code NOT_FOUND} also if
     * the dataset was deleted.
     */
    public PinGrant pin(DatasetVersion version, PinRequest request) {
        datasets.require(version.dataset());
        return send(new Update<>(version, "pin", newId("pin"), PinGrant.class, request))
                .map(accepted -> updates.result(accepted, requestTimeout))
                .orElseThrow(
                        () ->
                                new ForebayException(
                                        ErrorCode.NOT_FOUND,
                                        "version %s is not in region %s: fill it with 'forebay ensure %s --region %s'"
                                                .formatted(
                                                        version,
                                                        request.region(),
                                                        version,
                                                        request.region())));
    }

    /** Releases a pin. Does nothing if the version has no such pin. */
    public void unpin(DatasetVersion version, UnpinRequest request) {
        tell(version, "unpin", request);
    }

    /** Resumes a BLOCKED region. Does nothing if the region is not BLOCKED. */
    public void resume(DatasetVersion version, ResumeRequest request) {
        tell(version, "resume", request);
    }

    /**
     * Gives up a BLOCKED region and evicts its bytes. Does nothing if the region is not BLOCKED.
     * Returns whether this is done; false if it continues after the configured wait.
     */
    public boolean abandon(DatasetVersion version, AbandonRequest request) {
        return send(new Update<>(version, "abandon", newId("abandon"), Void.class, request))
                .map(accepted -> updates.isDone(accepted, evictionWait))
                .orElse(true);
    }

    /** As {@link #evict(DatasetVersion, EvictRequest, String)}, with a new update id. */
    public boolean evict(DatasetVersion version, EvictRequest request) {
        return evict(version, request, newId("evict"));
    }

    /**
     * Evicts the version from a region. Does nothing if the region does not have it. Returns
     * whether the eviction is done; false if it continues after the configured wait.
     *
     * @param updateId the same for repeated requests of one eviction
     */
    public boolean evict(DatasetVersion version, EvictRequest request, String updateId) {
        return send(new Update<>(version, "evict", updateId, Void.class, request))
                .map(accepted -> updates.isDone(accepted, evictionWait))
                .orElse(true);
    }

    /** Sets the time to live of the version in all regions. */
    public void setTtl(DatasetVersion version, Duration ttl) {
        Update<@Nullable Void> update =
                new Update<>(version, "setTtl", newId("ttl"), Void.class, new TtlRequest(ttl));
        // Starts a workflow if necessary: the time to live also applies to regions that get the
        // version later.
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
     * Sends an update to the version's workflow. Returns empty if there is no workflow and no
     * region has the version. Asks the workflow before the catalogue, which may have been lost.
     */
    private <R extends @Nullable Object> Optional<WorkflowUpdateHandle<R>> send(Update<R> update) {
        DatasetVersion version = update.version();
        Optional<WorkflowUpdateHandle<R>> accepted =
                updates.send(datasets.get(version.dataset()), update);
        if (accepted.isEmpty()) {
            var _ = versions.get(version);
        }
        return accepted;
    }

    private static String newId(String kind) {
        return kind + "-" + UUID.randomUUID();
    }
}
