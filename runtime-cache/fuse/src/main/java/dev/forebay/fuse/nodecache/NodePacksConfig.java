package dev.forebay.fuse.nodecache;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The limits of the node cache.
 *
 * @param directory created if it does not exist; for one process at a time
 * @param capacityBytes the bytes that packs and their maps may take on disk
 * @param prewarmBytesPerSecond the rate at which versions in use are fetched completely; 0: never
 * @param retryPause the delay before a failed prewarm is retried; also the time that a version must
 *     stay complete to be retried at once. It doubles at most six times.
 * @param sweepDelay the delay between a change of the mount table and the sweep of unused pages
 * @param scrubBytesPerSecond the rate at which packs are verified in the background; 0: never
 * @param scrubPause the delay before each round of that, including the first
 * @param strict whether each read is verified, however small
 */
public record NodePacksConfig(
        Path directory,
        long capacityBytes,
        long prewarmBytesPerSecond,
        Duration retryPause,
        Duration sweepDelay,
        long scrubBytesPerSecond,
        Duration scrubPause,
        boolean strict) {}
