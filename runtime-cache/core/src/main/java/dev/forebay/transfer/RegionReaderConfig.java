package dev.forebay.transfer;

import java.time.Duration;

/**
 * How long a {@link RegionReader} tries.
 *
 * @param totalTimeout for one read, whatever it tries
 * @param attemptTimeout for one worker's answer; then the next one is asked
 * @param suspicion how long a worker that did not answer is asked after all others
 * @param hedgeAfter how long an answer may take before the next worker is asked too whether it has
 *     the bytes, and the first one whether it is alive
 * @param hedgeShare at most this share of all reads asks a second worker so, but for a few in a row
 * @param silence how long a worker may take to say that it is alive, and how long what it has begun
 *     to send may take besides the time at the slowest rate, before it is given up for the next one
 * @param slowestBytesPerSecond see {@code silence}
 */
public record RegionReaderConfig(
        Duration totalTimeout,
        Duration attemptTimeout,
        Duration suspicion,
        Duration hedgeAfter,
        double hedgeShare,
        Duration silence,
        long slowestBytesPerSecond) {

    /** With the defaults for what is not said. */
    public RegionReaderConfig(Duration totalTimeout, Duration attemptTimeout, Duration suspicion) {
        this(
                totalTimeout,
                attemptTimeout,
                suspicion,
                Duration.ofMillis(200),
                0.05,
                Duration.ofSeconds(1),
                4 << 20);
    }

    /**
     * 30 s in all, 10 s a worker, 5 s of suspicion; a second worker after 200 ms with 5 % of the
     * reads; 1 s of silence; 4 MiB/s.
     */
    public static RegionReaderConfig defaults() {
        return new RegionReaderConfig(
                Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(5));
    }
}
