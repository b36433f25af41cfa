package dev.forebay.agent.workers;

import dev.forebay.membership.RegionView;
import dev.forebay.placement.WorkerNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Tracks since when each worker of the region is away, for all calls that wait for one. Each call
 * waits only for the rest of the worker's grace period. An agent that has just started counts from
 * its start. Tracks registered workers only. Safe for use by many threads.
 */
public final class AbsentWorkers {

    private enum Presence {
        LIVE,
        AWAY,
        GONE
    }

    private final Supplier<RegionView> region;
    private final Duration grace;
    private final LongSupplier nanos;

    // Guarded by this.
    private Map<String, Long> since = Map.of();

    /**
     * @param grace how long a worker that is away keeps its place
     */
    public AbsentWorkers(Supplier<RegionView> region, Duration grace, LongSupplier nanos) {
        this.region = region;
        this.grace = grace;
        this.nanos = nanos;
    }

    /** Returns how long a worker that is away keeps its place. */
    public Duration grace() {
        return grace;
    }

    /**
     * Updates the presence of all workers. The caller must call it at every change of the region.
     */
    public synchronized void check() {
        var _ = readRegion();
    }

    /**
     * Returns whether a worker is away for longer than the grace period, or no longer registered.
     */
    public boolean isGone(String worker) {
        return presence(worker) == Presence.GONE;
    }

    /**
     * Pauses before the next attempt to reach a worker and returns true. Returns false at once if
     * the worker is gone, or if it is live and {@code timeout} has run out.
     */
    public boolean pause(String worker, WorkerRetries timeout) {
        return switch (presence(worker)) {
            case LIVE -> timeout.pause();
            case AWAY -> {
                timeout.rest();
                yield true;
            }
            case GONE -> false;
        };
    }

    private synchronized Presence presence(String worker) {
        RegionView view = readRegion();
        if (view.live().contains(worker)) {
            return Presence.LIVE;
        }
        Long left = since.get(worker);
        return left == null || nanos.getAsLong() - left >= grace.toNanos()
                ? Presence.GONE
                : Presence.AWAY;
    }

    /** Reads the view inside the lock, so that an older view never follows a newer one. */
    private RegionView readRegion() {
        RegionView view = region.get();
        long now = nanos.getAsLong();
        Map<String, Long> away = new HashMap<>();
        for (WorkerNode worker : view.workers()) {
            if (!view.live().contains(worker.id())) {
                away.put(worker.id(), since.getOrDefault(worker.id(), now));
            }
        }
        since = away;
        return view;
    }
}
