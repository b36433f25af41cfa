package dev.forebay.transfer;

import java.time.Duration;

/**
 * How long a {@link RegionReader} tries.
 *
 * @param totalTimeout for one read, whatever it tries
 * @param attemptTimeout for one worker's answer; then the next one is asked
 * @param suspicion how long a worker that did not answer is asked after all others
 */
public record RegionReaderConfig(
        Duration totalTimeout, Duration attemptTimeout, Duration suspicion) {

    /** 30 s in all, 10 s a worker, 5 s of suspicion. */
    public static RegionReaderConfig defaults() {
        return new RegionReaderConfig(
                Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(5));
    }
}
