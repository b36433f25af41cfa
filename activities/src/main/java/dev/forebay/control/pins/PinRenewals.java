package dev.forebay.control.pins;

import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.regions.Regions;
import dev.forebay.control.temporal.ControlPlaneMetrics;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.Renewal;
import dev.forebay.workflows.message.PinGrant;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Renews pins. A renewal goes to the region and needs neither Temporal nor the catalogue. A
 * thousand jobs that renew every half minute add nothing to any workflow history. Thread-safe.
 */
@Singleton
public class PinRenewals {

    private static final Logger LOG = Logger.getLogger(PinRenewals.class);

    /** Bounds the queue at about 200 bytes each. */
    private static final int MOST_NOTES = 10_000;

    private final Regions regions;
    private final VersionCatalogue versions;
    private final ControlPlaneMetrics metrics;

    /**
     * Stores renewals in the background. A renewal must not wait for the catalogue: pins would end
     * during its outage.
     */
    private final ExecutorService notes =
            new ThreadPoolExecutor(
                    1,
                    1,
                    0,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(MOST_NOTES),
                    Thread.ofPlatform().daemon().name("renewals").factory(),
                    // Drops a renewal if the queue is full. The next renewal of the pin replaces
                    // it.
                    new ThreadPoolExecutor.DiscardPolicy());

    PinRenewals(Regions regions, VersionCatalogue versions, ControlPlaneMetrics metrics) {
        this.regions = regions;
        this.versions = versions;
        this.metrics = metrics;
    }

    /**
     * Renews a pin.
     *
     * @throws ForebayException {@code NOT_FOUND} if it has ended; {@code UNAVAILABLE} if the region
     *     does not answer
     */
    public PinGrant renew(DatasetVersion version, RegionName region, String id) {
        Optional<Renewal> answer = regions.renew(region, version, id);
        metrics.renewed(answer.isPresent());
        Renewal renewal =
                answer.orElseThrow(
                        () ->
                                new ForebayException(
                                        ErrorCode.NOT_FOUND,
                                        "pin '%s' on %s in %s has ended: take a new one with 'forebay ensure %s --region %s --pin-for 1h'"
                                                .formatted(id, version, region, version, region)));
        Instant expiresAt = Instant.now().plusSeconds(renewal.remainingSeconds());
        notes.execute(() -> note(version, region, id, expiresAt));
        return new PinGrant(
                region, id, renewal.holder(), renewal.reason(), expiresAt, renewal.job());
    }

    private void note(DatasetVersion version, RegionName region, String id, Instant expiresAt) {
        try {
            versions.renewed(version, region, id, expiresAt);
        } catch (RuntimeException e) {
            LOG.debugf(
                    e,
                    "Cannot write the new expiry of pin %s on %s into the catalogue",
                    id,
                    version);
        }
    }

    @PreDestroy
    void close() {
        notes.shutdownNow();
    }
}
