package dev.forebay.chunkstore;

/**
 * A store's figures at a moment. Counters begin at 0 when the store is opened and only grow.
 *
 * @param disks directories in use
 * @param failedDisks directories that were taken out
 * @param capacityBytes what the store may occupy on the disks in use
 * @param usedBytes what its chunks occupy, footers included
 * @param chunks how many there are
 * @param hits how often {@link ChunkStore#find} found a chunk
 * @param misses how often it did not
 * @param written chunk files written
 * @param writtenBytes their size
 * @param evicted chunks removed to make room
 * @param damaged chunks dropped, or parts of chunks not taken over, because a checksum was wrong
 * @param diskFull writes refused by a full disk
 * @param diskErrors reads, writes and deletions that failed for another reason
 */
public record ChunkStoreStats(
        int disks,
        int failedDisks,
        long capacityBytes,
        long usedBytes,
        long chunks,
        long hits,
        long misses,
        long written,
        long writtenBytes,
        long evicted,
        long damaged,
        long diskFull,
        long diskErrors) {}
