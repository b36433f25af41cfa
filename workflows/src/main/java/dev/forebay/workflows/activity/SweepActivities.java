package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import io.temporal.activity.ActivityInterface;
import java.util.List;

/**
 * What the scheduled eviction asks and does; on {@link dev.forebay.workflows.TaskQueues#LIFECYCLE}.
 * Every method heartbeats, so that a control plane that dies does not hold up a sweep.
 */
@ActivityInterface
public interface SweepActivities {

    /**
     * Up to {@code limit} versions that are CACHED in the region, unpinned, and past their TTL,
     * longest first.
     */
    List<DatasetVersion> expired(RegionName region, int limit);

    /**
     * Asks the version's workflow to evict if it is still expired; returns whether it did, with the
     * reason if not.
     */
    Outcome evictIfExpired(DatasetVersion version, RegionName region);

    record Outcome(DatasetVersion version, boolean evicted, String reason) {}
}
