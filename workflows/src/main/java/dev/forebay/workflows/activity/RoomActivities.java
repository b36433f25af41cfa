package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Urgency;
import io.temporal.activity.ActivityInterface;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Making room in regions; on {@link dev.forebay.workflows.TaskQueues#LIFECYCLE}, for only the
 * control plane knows what versions are worth.
 */
@ActivityInterface
public interface RoomActivities {

    /** How much room the version's namespace may have in a region, in bytes; any amount if null. */
    @Nullable Long quota(DatasetVersion version, RegionName region);

    /**
     * Evicts what is worth least, if a version that comes next in a region lacks room there and
     * evictions would give it enough. What is speculative takes the room of nobody whose time to
     * live has not passed. Never evicts what is pinned. Heartbeats.
     */
    Made makeRoom(DatasetVersion version, ManifestRef manifest, RegionName region, Urgency urgency);

    /**
     * What was done.
     *
     * @param evicted {@code namespace/name@version} of what is gone, or is going
     * @param quotaBytes how much room the version's namespace may have in the region; any amount if
     *     absent
     */
    record Made(List<String> evicted, @Nullable Long quotaBytes) {}
}
