package dev.forebay.transfer;

import java.time.Duration;

/**
 * How long a {@link RegionFiles} waits for a worker.
 *
 * @param reads of these rules {@code attemptTimeout} is for a manifest's first byte if there is
 *     another worker to ask, and {@code totalTimeout} is how long the last one may take to begin,
 *     and pause; {@code hedgeAfter} is when a worker is asked whether it is alive; {@code
 *     suspicion}, {@code silence} and {@code slowestBytesPerSecond} are for files as for ranges
 * @param imageFirstByte for the first byte of an image, which the worker may have to write first
 * @param transfer for a whole file from one worker
 */
public record RegionFilesConfig(
        RegionReaderConfig reads, Duration imageFirstByte, Duration transfer) {

    /** As for reads; 2 min for an image's first byte; 10 min for a file. */
    public static RegionFilesConfig defaults() {
        return new RegionFilesConfig(
                RegionReaderConfig.defaults(), Duration.ofMinutes(2), Duration.ofMinutes(10));
    }
}
