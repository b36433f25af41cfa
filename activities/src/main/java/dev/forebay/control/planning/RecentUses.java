package dev.forebay.control.planning;

import dev.forebay.control.eviction.EvictionCandidates;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;

/**
 * Detects whether a version was used after it was chosen as a victim: a client requested it, or a
 * job read it. Ignores pins and running work, because the workflow and the region's etcd check
 * them. Thread-safe.
 */
@Singleton
class RecentUses {

    private final EvictionCandidates candidates;

    RecentUses(EvictionCandidates candidates) {
        this.candidates = candidates;
    }

    /**
     * Returns how the version was used since the choice, for users; empty if no use is known.
     * Workers report reads in whole seconds, so a read in the second before the choice counts, too.
     *
     * @param chosenAgo the time since the choice
     */
    Optional<String> of(DatasetVersion version, RegionName region, Duration chosenAgo) {
        if (candidates.wasRequested(region, version, chosenAgo)) {
            return Optional.of("a client requested it after the sweep chose it");
        }
        return Optional.ofNullable(candidates.readAgo(region).get(version))
                .filter(ago -> ago.compareTo(chosenAgo) <= 0)
                .map(ago -> "it was read %d s ago".formatted(ago.toSeconds()));
    }
}
