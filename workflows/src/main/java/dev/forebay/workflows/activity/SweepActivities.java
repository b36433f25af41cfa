package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.SweepReason;
import dev.forebay.workflows.message.Victim;
import io.temporal.activity.ActivityInterface;
import java.util.List;

/**
 * Finds and evicts the victims of sweeps. Runs on {@link
 * dev.forebay.workflows.TaskQueues#LIFECYCLE}. Every method heartbeats, so a control plane that
 * dies does not delay a sweep.
 */
@ActivityInterface
public interface SweepActivities {

    /**
     * Returns up to {@code limit} copies to evict from the region, in order. It also signals reads
     * to the workflows of versions whose TTL starts again with a read.
     */
    List<Victim> findVictims(RegionName region, int limit);

    /**
     * Asks the version's workflow to evict, if the reason for the choice still holds. Returns
     * whether it did, and why not otherwise. Not for orphans.
     */
    Outcome evictVictim(Victim victim, RegionName region);

    /** Returns whether the region still has this version mounted, and still no version owns it. */
    boolean isOrphan(Victim victim, RegionName region);

    /**
     * The outcome for one version.
     *
     * @param reason for people: why it was evicted, or why it was not
     * @param because why the sweep chose it
     */
    record Outcome(DatasetVersion version, boolean evicted, String reason, SweepReason because) {}
}
