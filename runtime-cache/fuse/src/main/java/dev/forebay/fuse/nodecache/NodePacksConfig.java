package dev.forebay.fuse.nodecache;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The bounds of the node cache.
 *
 * @param directory made if it is not there; for one process at a time
 * @param capacityBytes what packs and their maps may take on disk
 * @param prewarmBytesPerSecond how fast versions that are read are brought here as a whole; 0 for
 *     not at all
 * @param retryPause how long after its first failure a version may be tried again, and how long
 *     after it came if it did not stay; it doubles six times at most
 * @param sweepDelay how long after a change of the mount table what no version has is given up
 * @param scrubBytesPerSecond how fast packs at rest are compared with their checksums; 0 for not at
 *     all
 * @param scrubPause how long that rests before each round, also the first
 * @param strict whether bytes are compared with their checksums at each read, however small
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
