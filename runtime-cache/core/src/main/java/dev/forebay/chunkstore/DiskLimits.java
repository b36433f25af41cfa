package dev.forebay.chunkstore;

import java.time.Duration;

/**
 * How a disk of a {@link ChunkStore} is used.
 *
 * @param calls how many may be in it at once, at least 1; each has a thread that waits for it
 * @param patience how long it may take over one of them before it is given up, more than 0. A call
 *     reads or writes a chunk at most.
 */
public record DiskLimits(int calls, Duration patience) {

    /** Enough to keep an NVMe busy, and for a disk of a cloud that is throttled. */
    public static final DiskLimits DEFAULT = new DiskLimits(32, Duration.ofSeconds(15));
}
