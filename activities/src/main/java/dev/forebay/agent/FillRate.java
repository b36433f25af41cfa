package dev.forebay.agent;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How fast the region's workers have filled chunks lately: bytes by the time in which at least one
 * chunk was being filled. What is an hour of filling ago counts for about nothing. Safe for use by
 * many threads.
 */
final class FillRate {

    /** After so long, of filling, a measurement counts half. */
    private static final double HALF_LIFE_SECONDS = 300;

    /** Less says nothing. */
    private static final double SHORTEST_SECONDS = 0.01;

    private final LongSupplier nanos;
    private int underWay;
    private long since;
    private double seconds;
    private double bytes;

    FillRate(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** A chunk begins to be filled; {@link #ended} follows whatever happens. */
    synchronized void begun() {
        settle();
        underWay++;
    }

    /**
     * A chunk is filled, or was given up.
     *
     * @param fetched how many bytes came from outside the worker
     */
    synchronized void ended(long fetched) {
        settle();
        underWay--;
        bytes += fetched;
    }

    /** Bytes in a second; empty as long as nothing was fetched. */
    synchronized OptionalLong bytesPerSecond() {
        settle();
        return bytes < 1 || seconds < SHORTEST_SECONDS
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(1, Math.round(bytes / seconds)));
    }

    private void settle() {
        long now = nanos.getAsLong();
        if (underWay > 0) {
            double passed = (now - since) / (double) TimeUnit.SECONDS.toNanos(1);
            double kept = Math.pow(0.5, passed / HALF_LIFE_SECONDS);
            seconds = seconds * kept + passed;
            bytes *= kept;
        }
        since = now;
    }
}
