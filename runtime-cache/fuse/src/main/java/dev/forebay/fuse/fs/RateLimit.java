package dev.forebay.fuse.fs;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Permits a number of events in each period, so that a failing disk does not fill another one with
 * log messages. Thread-safe.
 */
public final class RateLimit {

    private final int events;
    private final long periodNanos;
    private final LongSupplier nanoTime;
    private long periodStart;
    private int count;

    public RateLimit(int events, long periodSeconds) {
        this(events, periodSeconds, System::nanoTime);
    }

    RateLimit(int events, long periodSeconds, LongSupplier nanoTime) {
        this.events = events;
        this.periodNanos = TimeUnit.SECONDS.toNanos(periodSeconds);
        this.nanoTime = nanoTime;
        this.periodStart = nanoTime.getAsLong();
    }

    /** Returns whether one more event may happen now, and counts it. */
    public synchronized boolean permits() {
        long now = nanoTime.getAsLong();
        if (now - periodStart > periodNanos) {
            periodStart = now;
            count = 0;
        }
        count++;
        return count <= events;
    }
}
