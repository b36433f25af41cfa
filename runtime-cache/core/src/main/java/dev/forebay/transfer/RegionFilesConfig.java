package dev.forebay.transfer;

import java.time.Duration;

/**
 * Timeouts of {@link RegionFiles}.
 *
 * @param reads the timeouts of reads. A manifest must begin within {@code attemptTimeout} if there
 *     is another worker to ask. The last worker may take {@code totalTimeout} for the first byte,
 *     and for each pause. A worker is asked whether it is alive after {@code hedgeAfter}. The
 *     values {@code suspicion}, {@code silence} and {@code slowestBytesPerSecond} apply to files as
 *     to ranges.
 * @param imageFirstByte timeout of the first byte of an image, which the worker may have to write
 *     first
 * @param transfer timeout of a whole file from one worker
 */
public record RegionFilesConfig(
        RegionReaderConfig reads, Duration imageFirstByte, Duration transfer) {

    /**
     * Returns the defaults: those of reads, 2 min for an image's first byte, and 10 min for a file.
     */
    public static RegionFilesConfig defaults() {
        return new RegionFilesConfig(
                RegionReaderConfig.defaults(), Duration.ofMinutes(2), Duration.ofMinutes(10));
    }
}
