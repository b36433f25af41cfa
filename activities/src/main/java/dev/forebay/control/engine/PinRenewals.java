package dev.forebay.control.engine;

import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.Renewal;
import dev.forebay.workflows.message.PinGrant;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Lets pins live on. A renewal goes to the region and needs neither Temporal nor the catalogue: a
 * thousand jobs that renew every half minute leave no trace in any history. Safe for use by many
 * threads.
 */
@Singleton
public class PinRenewals {

    private static final Logger LOG = Logger.getLogger(PinRenewals.class);

    private final Regions regions;
    private final VersionCatalogue versions;
    private final EngineMetrics metrics;

    PinRenewals(Regions regions, VersionCatalogue versions, EngineMetrics metrics) {
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
                                        "pin '%s' on %s in %s has ended: take a new one"
                                                .formatted(id, version, region)));
        PinGrant renewed =
                new PinGrant(
                        region,
                        id,
                        renewal.holder(),
                        renewal.reason(),
                        Instant.now().plusSeconds(renewal.remainingSeconds()),
                        renewal.job());
        try {
            versions.renewed(version, renewed);
        } catch (RuntimeException e) {
            LOG.debugf(e, "The catalogue shows pin %s on %s with its old expiry", id, version);
        }
        return renewed;
    }
}
