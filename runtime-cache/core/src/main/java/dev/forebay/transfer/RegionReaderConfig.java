package dev.forebay.transfer;

import java.time.Duration;

/**
 * Timeouts and limits of {@link RegionReader}.
 *
 * @param totalTimeout timeout of one read with all its attempts
 * @param attemptTimeout timeout of one worker's answer, after which the next one is asked
 * @param suspicion the time for which a worker that did not answer is asked after all others
 * @param hedgeAfter the time after which the next worker is asked for a copy, and the first one
 *     whether it is alive
 * @param hedgeShare the largest share of reads that ask a second worker, 0 to 1, except for ten in
 *     a row
 * @param silence the time in which a worker must say that it is alive. An answer that has begun may
 *     take this time in addition to its time at the slowest rate. Then the next worker is asked.
 * @param slowestBytesPerSecond the slowest rate
 */
public record RegionReaderConfig(
        Duration totalTimeout,
        Duration attemptTimeout,
        Duration suspicion,
        Duration hedgeAfter,
        double hedgeShare,
        Duration silence,
        long slowestBytesPerSecond) {

    /** Creates a configuration with the defaults for all other values. */
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
     * Returns the defaults: 30 s in all, 10 s for a worker, 5 s of suspicion, 1 s of silence and 4
     * MiB/s. A second worker is asked after 200 ms, for 5 % of the reads.
     */
    public static RegionReaderConfig defaults() {
        return new RegionReaderConfig(
                Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(5));
    }
}
