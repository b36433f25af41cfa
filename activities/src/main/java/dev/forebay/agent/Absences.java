package dev.forebay.agent;

import dev.forebay.membership.RegionView;
import dev.forebay.placement.WorkerNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Since when the region's workers are away, for all who wait for one: each waits only for what is
 * left of its grace period. An agent that has just started counts from then. Remembers those that
 * are registered. Safe for use by many threads.
 */
final class Absences {

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
    Absences(Supplier<RegionView> region, Duration grace, LongSupplier nanos) {
        this.region = region;
        this.grace = grace;
        this.nanos = nanos;
    }

    /** How long a worker that is away keeps its place. */
    Duration grace() {
        return grace;
    }

    /** Looks who is there; to be called whenever that changes. */
    synchronized void look() {
        var _ = lookAtRegion();
    }

    /** Whether a worker is away for longer than the grace period, or not registered any more. */
    boolean isGone(String worker) {
        return presence(worker) == Presence.GONE;
    }

    /**
     * Pauses before a worker that does not answer is asked again and returns true; returns false at
     * once if it is gone, or is there and does not answer for as long as the patience lasts.
     */
    boolean pause(String worker, Patience patience) {
        return switch (presence(worker)) {
            case LIVE -> patience.pause();
            case AWAY -> {
                patience.rest();
                yield true;
            }
            case GONE -> false;
        };
    }

    private synchronized Presence presence(String worker) {
        RegionView view = lookAtRegion();
        if (view.live().contains(worker)) {
            return Presence.LIVE;
        }
        Long left = since.get(worker);
        return left == null || nanos.getAsLong() - left >= grace.toNanos()
                ? Presence.GONE
                : Presence.AWAY;
    }

    /** Never an older view than the one before: it is read in here. */
    private RegionView lookAtRegion() {
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
