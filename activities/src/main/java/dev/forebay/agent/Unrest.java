package dev.forebay.agent;

import dev.forebay.membership.RegionView;
import dev.forebay.placement.WorkerNode;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * When it is time to look whether what is pinned is still complete: a grace period after a worker
 * was lost, for one that restarts is back with its chunks; and after a long time in any case, for
 * what nobody noticed. Safe for use by many threads.
 */
final class Unrest {

    private final long graceNanos;
    private final long intervalNanos;
    private final long longestNanos;

    // Guarded by this.
    private Set<String> registered = Set.of();
    private Set<String> live = Set.of();
    private long dueNanos;
    private long pauseNanos;
    private boolean lostMeanwhile;

    /**
     * Begins with a look after the grace period: an agent that starts knows nothing of what
     * happened before.
     *
     * @param interval between looks for which there is no reason
     */
    Unrest(Duration grace, Duration interval, long nanos) {
        this.graceNanos = grace.toNanos();
        this.intervalNanos = interval.toNanos();
        this.longestNanos = Math.max(graceNanos, intervalNanos);
        this.pauseNanos = graceNanos;
        this.dueNanos = nanos + graceNanos;
    }

    /** The region's workers are now these. */
    synchronized void seen(RegionView view, long nanos) {
        Set<String> nowRegistered =
                view.workers().stream().map(WorkerNode::id).collect(Collectors.toSet());
        if (!nowRegistered.containsAll(registered) || !view.live().containsAll(live)) {
            pauseNanos = graceNanos;
            dueNanos = nanos + graceNanos;
            lostMeanwhile = true;
        }
        registered = nowRegistered;
        live = view.live();
    }

    /** If so a look begins now, which {@link #calm} or {@link #goesOn} ends. */
    synchronized boolean isDue(long nanos) {
        boolean due = nanos - dueNanos >= 0;
        lostMeanwhile &= !due;
        return due;
    }

    /** Everything was complete: next time when there is a reason, or the interval has passed. */
    synchronized void calm(long nanos) {
        if (lostMeanwhile) {
            return; // what it had may have been counted
        }
        pauseNanos = graceNanos;
        dueNanos = nanos + intervalNanos;
    }

    /** Something was not, and is being seen to: each further look comes twice as late. */
    synchronized void goesOn(long nanos) {
        if (lostMeanwhile) {
            return;
        }
        dueNanos = nanos + pauseNanos;
        pauseNanos = Math.min(2 * pauseNanos, longestNanos);
    }
}
