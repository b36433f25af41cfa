package dev.forebay.control.planning;

import dev.forebay.control.eviction.EvictionCandidates;
import dev.forebay.control.planning.FillPlan.Victim;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Detects whether a version was used after it was chosen as a victim: a client requested it, or a
 * job read it. Ignores pins and running work, because the workflow and the region's etcd check
 * them. Thread-safe.
 */
@Singleton
class LateUses {

    private static final Logger LOG = Logger.getLogger(LateUses.class);

    /**
     * A new request adds 1 to the uses, so a larger increase than this shows one. Requests from
     * before the choice only lose weight. A request that was sent again adds little.
     */
    private static final double HALF_A_USE = 0.5;

    private final Regions regions;
    private final EvictionCandidates occupants;

    LateUses(Regions regions, EvictionCandidates occupants) {
        this.regions = regions;
        this.occupants = occupants;
    }

    /**
     * Returns how the version was used since the choice, for users; empty if no use is known.
     * Workers report reads in whole seconds, so a read in the second before the choice counts, too.
     *
     * @param chosenAgo the time since the choice
     */
    Optional<String> of(Victim victim, RegionName region, Duration chosenAgo) {
        if (occupants.uses(region, victim.version()) > victim.uses() + HALF_A_USE
                || occupants.wasAskedFor(region, victim.version(), chosenAgo)) {
            return Optional.of("it was asked for since it was chosen");
        }
        return readAgo(victim.version(), region)
                .filter(ago -> ago.compareTo(chosenAgo) <= 0)
                .map(ago -> "it was read %d s ago".formatted(ago.toSeconds()));
    }

    /**
     * Returns empty in doubt. Otherwise a worker that does not answer would block all admissions.
     */
    private Optional<Duration> readAgo(DatasetVersion version, RegionName region) {
        try {
            return regions.usage(region).versions().stream()
                    .filter(mounted -> mounted.version().equals(version))
                    .flatMap(mounted -> Optional.ofNullable(mounted.secondsSinceRead()).stream())
                    .map(Duration::ofSeconds)
                    .findFirst();
        } catch (ForebayException unanswered) {
            LOG.debugf(unanswered, "%s does not say when %s was read", region, version);
            return Optional.empty();
        }
    }
}
