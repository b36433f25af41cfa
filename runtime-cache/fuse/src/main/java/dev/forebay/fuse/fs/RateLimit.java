package dev.forebay.fuse.fs;

import java.util.concurrent.TimeUnit;

/**
 * Permits so many events in each period, so that a failing disk does not fill another. Thread-safe.
 */
public final class RateLimit {

    private final int events;
    private final long periodNanos;
    private long periodStart = System.nanoTime();
    private int count;

    public RateLimit(int events, long periodSeconds) {
        this.events = events;
        this.periodNanos = TimeUnit.SECONDS.toNanos(periodSeconds);
    }

    /** Whether one more may happen now, which it is then taken to do. */
    public synchronized boolean permits() {
        long now = System.nanoTime();
        if (now - periodStart > periodNanos) {
            periodStart = now;
            count = 0;
        }
        count++;
        return count <= events;
    }
}
