package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.SweepReason;
import dev.forebay.workflows.message.Victim;
import io.temporal.activity.ActivityInterface;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the scheduled eviction asks and does; on {@link dev.forebay.workflows.TaskQueues#LIFECYCLE}.
 * Every method heartbeats, so that a control plane that dies does not hold up a sweep.
 */
@ActivityInterface
public interface SweepActivities {

    /**
     * Up to {@code limit} copies that have to go from the region, in the order in which they go,
     * and tells workflows of reads that keep theirs.
     */
    List<Victim> findVictims(RegionName region, int limit);

    /**
     * Asks the version's workflow to evict, if what made it a victim still holds; returns whether
     * it did, with the reason if not. Not for orphans.
     */
    Outcome evictVictim(Victim victim, RegionName region);

    /** Whether the region still has this mounted, and still no version owns it. */
    boolean isOrphan(Victim victim, RegionName region);

    /**
     * For sweeps that began under earlier code: up to {@code limit} versions that are CACHED in the
     * region, unpinned, and past their TTL, longest first.
     */
    List<DatasetVersion> expired(RegionName region, int limit);

    /**
     * For sweeps that began under earlier code: asks the version's workflow to evict if it is still
     * expired; returns whether it did, with the reason if not.
     */
    Outcome evictIfExpired(DatasetVersion version, RegionName region);

    /**
     * What became of a version.
     *
     * @param reason for people: why it went, or why it did not
     * @param because what it was to go for; absent from sweeps of earlier code
     */
    record Outcome(
            DatasetVersion version, boolean evicted, String reason, @Nullable SweepReason because) {

        public Outcome(DatasetVersion version, boolean evicted, String reason) {
            this(version, evicted, reason, null);
        }
    }
}
