package dev.forebay.agent.repair;

import dev.forebay.membership.RegionView;
import dev.forebay.model.Backoff;
import dev.forebay.placement.WorkerNode;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Schedules the checks that pinned copies are complete. A check is due one grace period after a
 * worker was lost, because a worker that only restarts returns with its chunks. It is also due
 * after a long interval, for losses that were not noticed. Safe for use by many threads.
 */
public final class RepairSchedule {

    private final Duration interval;
    private final Backoff backoff;

    // Guarded by this.
    private Set<String> registered = Set.of();
    private Set<String> live = Set.of();
    private long dueNanos;
    private Duration pause;
    private boolean lostMeanwhile;

    /**
     * Schedules the first check after the grace period, because an agent that starts knows nothing
     * of earlier losses.
     *
     * @param interval between checks without a reason
     */
    public RepairSchedule(Duration grace, Duration interval, long nanos) {
        this.interval = interval;
        this.backoff = new Backoff(grace, grace.compareTo(interval) < 0 ? interval : grace);
        this.pause = grace;
        this.dueNanos = nanos + grace.toNanos();
    }

    /** Records the region's present workers. */
    synchronized void seen(RegionView view, long nanos) {
        Set<String> nowRegistered =
                view.workers().stream().map(WorkerNode::id).collect(Collectors.toSet());
        if (!nowRegistered.containsAll(registered) || !view.live().containsAll(live)) {
            pause = backoff.first();
            dueNanos = nanos + pause.toNanos();
            lostMeanwhile = true;
        }
        registered = nowRegistered;
        live = view.live();
    }

    /**
     * Returns whether a check is due. If so, the caller must check now and then call {@link #calm}
     * or {@link #goesOn}.
     */
    synchronized boolean isDue(long nanos) {
        boolean due = nanos - dueNanos >= 0;
        lostMeanwhile &= !due;
        return due;
    }

    /** Everything was complete: the next check is after a loss or after the interval. */
    synchronized void calm(long nanos) {
        if (lostMeanwhile) {
            return; // the check may have counted what the lost worker had
        }
        pause = backoff.first();
        dueNanos = nanos + interval.toNanos();
    }

    /** Incomplete pins were found: doubles the delay before the next check. */
    synchronized void goesOn(long nanos) {
        if (lostMeanwhile) {
            return;
        }
        dueNanos = nanos + pause.toNanos();
        pause = backoff.following(pause);
    }
}
