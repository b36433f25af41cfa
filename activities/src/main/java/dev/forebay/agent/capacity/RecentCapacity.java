package dev.forebay.agent.capacity;

import dev.forebay.membership.RegionView;
import dev.forebay.placement.WorkerNode;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Remembers the largest recent capacity of the region's workers together. Workers that left may
 * return, so a version that fits only with them has to wait, and is not refused as too large. The
 * state is in memory, so an agent that has just started knows only the capacity {@linkplain #known
 * known} to etcd. Safe for use by many threads.
 */
public final class RecentCapacity {

    private final Duration remembered;
    private final LongSupplier nanos;
    private long last;
    private long largest;
    private long largestAt;

    /**
     * @param remembered the time for which a larger capacity counts after workers have left
     */
    public RecentCapacity(Duration remembered, LongSupplier nanos) {
        this.remembered = remembered;
        this.nanos = nanos;
    }

    /** Returns the capacity of the registered workers together, in bytes. */
    static long of(RegionView view) {
        return view.workers().stream().mapToLong(WorkerNode::capacityBytes).sum();
    }

    /**
     * Returns the capacity in bytes of the registered workers, plus that of workers that were
     * removed because they stayed away. Returns {@link Long#MAX_VALUE} if the row of a worker is
     * not understood.
     */
    public static long known(RegionView view) {
        return view.hidesWorkers()
                ? Long.MAX_VALUE
                : of(view) + view.departed().stream().mapToLong(WorkerNode::capacityBytes).sum();
    }

    /** Records the region's workers. The caller must call it at every change. */
    public synchronized void changed(RegionView view) {
        settle();
        last = of(view);
        settle();
    }

    /** Returns the largest recent capacity, in bytes. */
    public synchronized long bytes() {
        settle();
        return largest;
    }

    private void settle() {
        long now = nanos.getAsLong();
        if (last >= largest || now - largestAt > remembered.toNanos()) {
            largest = last;
            largestAt = now;
        }
    }
}
