package dev.forebay.chunkstore;

import dev.forebay.chunkstore.file.ChunkFooter;
import dev.forebay.chunkstore.file.ChunkName;
import dev.forebay.chunkstore.file.ChunkRange;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.model.ChunkId;
import java.util.List;

/**
 * A snapshot of what the {@link ChunkTable} knows of a chunk on disk.
 *
 * @param valid its valid blocks, or {@link #UNREAD}
 * @param slot its slot in the table
 * @param file a number that no other file has had, not even another file of this chunk
 */
record ChunkEntry(ChunkId id, ValidBlocks valid, int slot, int file) {

    /** Marks an incomplete file of an earlier process whose footer has not been read. */
    static final ValidBlocks UNREAD =
            ValidBlocks.of(ChunkId.CHUNK_BYTES, List.of(new ChunkRange(0, 0)));

    private static final int DISK_BLOCK_BYTES = 4 << 10;

    /** Returns the length of the chunk in bytes. */
    int length() {
        return valid.chunkBytes();
    }

    boolean unread() {
        return valid == UNREAD;
    }

    /** Returns an estimate of the disk space, in bytes, that the chunk occupies. */
    long footprint() {
        return footprint(length());
    }

    ChunkName name() {
        return ChunkName.of(id.index(), valid);
    }

    /**
     * Returns the most disk space, in bytes, that a chunk of this length occupies with its footer.
     */
    static long footprint(int chunkBytes) {
        int file = chunkBytes + ChunkFooter.bytes(chunkBytes);
        return (file + DISK_BLOCK_BYTES - 1L) / DISK_BLOCK_BYTES * DISK_BLOCK_BYTES;
    }
}
