package dev.forebay.chunkstore;

import java.time.Duration;

/**
 * Limits on the calls to one disk of a {@link ChunkStore}.
 *
 * @param calls most calls at once, at least 1; each has a thread that waits for it
 * @param timeout timeout of one call, more than 0, after which the disk is given up. A call reads
 *     or writes at most one chunk.
 */
public record DiskLimits(int calls, Duration timeout) {

    /**
     * Suits an NVMe disk, which needs many calls at once, and a throttled disk of a cloud, which is
     * slow.
     */
    public static final DiskLimits DEFAULT = new DiskLimits(32, Duration.ofSeconds(15));
}
