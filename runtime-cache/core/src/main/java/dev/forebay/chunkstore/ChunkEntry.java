package dev.forebay.chunkstore;

import dev.forebay.model.ChunkId;
import java.util.List;

/**
 * A chunk on disk as the {@link ChunkTable} described it at a moment.
 *
 * @param valid its valid blocks, or {@link #UNREAD}
 * @param slot its place in the table
 * @param file a number that no other file has had, not even of this chunk
 */
record ChunkEntry(ChunkId id, ValidBlocks valid, int slot, int file) {

    /** The file was left by an earlier process, is not complete, and its footer was not read. */
    static final ValidBlocks UNREAD =
            ValidBlocks.of(ChunkId.CHUNK_BYTES, List.of(new ByteRange(0, 0)));

    private static final int DISK_BLOCK_BYTES = 4 << 10;

    /** The length of the chunk in bytes. */
    int length() {
        return valid.chunkBytes();
    }

    boolean unread() {
        return valid == UNREAD;
    }

    /** What the chunk is reckoned to occupy. */
    long footprint() {
        return footprint(length());
    }

    ChunkName name() {
        return ChunkName.of(id.index(), valid);
    }

    /** What a chunk of this length occupies on disk at most, its footer included. */
    static long footprint(int chunkBytes) {
        int file = chunkBytes + ChunkFooter.bytes(chunkBytes);
        return (file + DISK_BLOCK_BYTES - 1L) / DISK_BLOCK_BYTES * DISK_BLOCK_BYTES;
    }
}
