package dev.forebay.control.engine;

import dev.forebay.control.engine.Plan.Victim;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Whether a version was used after it had been chosen to go: asked for, as the control plane
 * remembers, or read, as the region's workers do. Pins and what goes on with it are not looked at,
 * for its workflow and the region's etcd know better. Safe for use by many threads.
 */
@Singleton
class LateUses {

    private static final Logger LOG = Logger.getLogger(LateUses.class);

    /**
     * A request that was made just now counts as one use, also if it was entered while victims were
     * chosen; what was there before only fades. One that was asked again counts hardly more.
     */
    private static final double HALF_A_USE = 0.5;

    private final Regions regions;
    private final Occupants occupants;

    LateUses(Regions regions, Occupants occupants) {
        this.regions = regions;
        this.occupants = occupants;
    }

    /**
     * How it was used, for people; empty if it was not, as far as is known. Reads are told in whole
     * seconds, so one in the second before the choice counts, too.
     *
     * @param chosenAgo how long ago it was chosen
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

    /** In doubt it was not: else a worker that does not answer would let nobody in any more. */
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
