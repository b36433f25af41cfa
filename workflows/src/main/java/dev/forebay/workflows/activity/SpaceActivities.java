package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Urgency;
import io.temporal.activity.ActivityInterface;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Frees space in regions. Runs on {@link dev.forebay.workflows.TaskQueues#LIFECYCLE}, because only
 * the control plane knows the value of versions.
 */
@ActivityInterface
public interface SpaceActivities {

    /** Returns the quota of the version's namespace in a region, in bytes. Null if it has none. */
    @Nullable Long quota(DatasetVersion version, RegionName region);

    /**
     * Evicts the versions of least value, if the version is next in a region's queue and evictions
     * would free enough space for it. A speculative request only evicts versions whose time to live
     * has ended. Pinned versions are never evicted. Heartbeats.
     */
    FreedSpace freeSpace(
            DatasetVersion version, ManifestRef manifest, RegionName region, Urgency urgency);

    /**
     * The result of {@link #freeSpace}.
     *
     * @param evicted {@code namespace/name@version} of versions that are evicted or being evicted
     * @param quotaBytes the quota of the version's namespace in the region; unlimited if absent
     */
    record FreedSpace(List<String> evicted, @Nullable Long quotaBytes) {}
}
