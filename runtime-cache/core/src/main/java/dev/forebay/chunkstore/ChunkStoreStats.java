package dev.forebay.chunkstore;

/**
 * A snapshot of a store's figures. Counters begin at 0 when the store is opened and only grow.
 *
 * @param disks directories in use
 * @param failedDisks directories that were taken out
 * @param capacityBytes space that the store may occupy on the disks in use
 * @param usedBytes space that its chunks occupy, footers included
 * @param chunks number of chunks
 * @param hits calls of {@link ChunkStore#find} that found a chunk
 * @param misses calls of {@link ChunkStore#find} that found none
 * @param written chunk files written
 * @param writtenBytes their size
 * @param evicted chunks removed to free space
 * @param damaged chunks dropped because of a wrong checksum, and 64 KiB blocks not copied because
 *     of one
 * @param diskFull writes that failed because the disk was full
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
