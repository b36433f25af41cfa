package dev.forebay.chunkstore;

import dev.forebay.chunkstore.eviction.EvictionPolicy;
import dev.forebay.model.ChunkId;

/**
 * What is kept in memory of a chunk on disk.
 *
 * @param valid made anew for each file, so that entries of two files of a chunk are never equal
 */
record ChunkEntry(ChunkId id, ValidBlocks valid, EvictionPolicy.Ticket ticket) {

    private static final int DISK_BLOCK_BYTES = 4 << 10;

    /** What the chunk is reckoned to occupy. */
    long footprint() {
        return footprint(valid.chunkBytes());
    }

    /** What a chunk of this length occupies on disk at most, its footer included. */
    static long footprint(int chunkBytes) {
        int file = chunkBytes + ChunkFooter.bytes(chunkBytes);
        return (file + DISK_BLOCK_BYTES - 1L) / DISK_BLOCK_BYTES * DISK_BLOCK_BYTES;
    }
}
