package dev.forebay.fuse.nodecache;

import dev.forebay.linux.Buffers;
import dev.forebay.linux.DiskFile;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Reads the blocks of a pack's file and verifies their checksums. Thread-safe, if the caller holds
 * the lock of the chunk.
 */
final class Blocks {

    /** Pooled, because memory of an arena would be cleared each time. */
    private static final Buffers SCRATCH = new Buffers(PackUnits.BLOCK);

    private final DiskFile data;
    private final long packBytes;

    Blocks(DiskFile data, long packBytes) {
        this.data = data;
        this.packBytes = packBytes;
    }

    private static long start(int chunk, int block) {
        return PackUnits.offset(chunk, block * PackUnits.PAGES_OF_BLOCK);
    }

    /** Returns the length of a block; the last block of a pack may be shorter. */
    private int length(int chunk, int block) {
        return (int) Math.min(PackUnits.BLOCK, packBytes - start(chunk, block));
    }

    /**
     * Reads a block into {@code target}, which has the block's length. Its position and limit stay.
     *
     * @return whether the block is readable and matches the record
     */
    private boolean isRead(ChunkRecord record, int chunk, int block, ByteBuffer target)
            throws IOException {
        return isReadStraight(target, start(chunk, block)) && isRight(record, block, target);
    }

    private static boolean isRight(ChunkRecord record, int block, ByteBuffer bytes) {
        return Checksums.of(bytes, record.pagesOfBlock(block)) == record.checksum(block);
    }

    /**
     * Fills {@code target}, whose position and limit stay; returns false on a read error or a short
     * read.
     */
    boolean isRead(ByteBuffer target, long position) throws IOException {
        if (target.isDirect()) {
            return isReadStraight(target, position);
        }
        ByteBuffer scratch = SCRATCH.take();
        try {
            int done = 0;
            while (done < target.remaining()) {
                int length = Math.min(scratch.capacity(), target.remaining() - done);
                if (!isReadStraight(scratch.slice(0, length), position + done)) {
                    return false;
                }
                target.put(target.position() + done, scratch, 0, length);
                done += length;
            }
            return true;
        } finally {
            SCRATCH.give(scratch);
        }
    }

    private boolean isReadStraight(ByteBuffer target, long position) throws IOException {
        try {
            return data.read(MemorySegment.ofBuffer(target), position) == target.remaining();
        } catch (SystemCallException e) {
            if (e.errno() == ErrorNumber.EIO) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Drops a chunk from the page cache, so that the next read goes to the disk. Native views read
     * from the disk too, not from this page cache.
     */
    void forget(int chunk) {
        data.forget(PackUnits.offset(chunk, 0), PackUnits.CHUNK);
    }

    /** Returns whether a range contains a complete block. */
    boolean hasWhole(long from, long to) {
        return Math.ceilDiv(from, PackUnits.BLOCK) * PackUnits.BLOCK + PackUnits.BLOCK <= to
                || to == packBytes;
    }

    /**
     * Verifies the checksums of the blocks of a range within one chunk that was read.
     *
     * @param target the bytes, between its position and limit, which stay
     * @param parts whether blocks that were read in part are read completely and verified too
     * @return the first damaged block, or -1
     */
    int compare(ChunkRecord record, long from, ByteBuffer target, boolean parts)
            throws IOException {
        long to = from + target.remaining();
        int chunk = PackUnits.chunkOf(from);
        ByteBuffer scratch = SCRATCH.take();
        try {
            for (long at = from; at < to; ) {
                int block = (int) (at % PackUnits.CHUNK) / PackUnits.BLOCK;
                int skip = (int) (at % PackUnits.BLOCK);
                int length = length(chunk, block);
                int wanted = (int) Math.min(length - skip, to - at);
                int into = target.position() + (int) (at - from);
                at += wanted;
                if (record.pagesOfBlock(block).isEmpty()) {
                    // No version needs the block, and it has no checksum.
                    continue;
                }
                if (wanted == length) {
                    if (!isRight(record, block, target.slice(into, length))) {
                        return block;
                    }
                } else if (parts) {
                    ByteBuffer whole = scratch.slice(0, length);
                    if (!isRead(record, chunk, block, whole)) {
                        return block;
                    }
                    target.put(into, whole, skip, wanted);
                }
            }
        } finally {
            SCRATCH.give(scratch);
        }
        return -1;
    }

    /** Returns the first damaged block of a chunk, or -1. */
    int verify(ChunkRecord record, int chunk) throws IOException {
        for (int block = 0; block < PackUnits.BLOCKS_OF_CHUNK; block++) {
            if (!record.pagesOfBlock(block).isEmpty() && !isIntact(record, chunk, block)) {
                return block;
            }
        }
        return -1;
    }

    boolean isIntact(ChunkRecord record, int chunk, int block) throws IOException {
        ByteBuffer scratch = SCRATCH.take();
        try {
            return isRead(record, chunk, block, scratch.slice(0, length(chunk, block)));
        } finally {
            SCRATCH.give(scratch);
        }
    }

    /**
     * Returns the record of a chunk after pages were added. A block that was partly present and is
     * damaged loses its earlier pages.
     *
     * @param from the position of the bytes in the pack, a multiple of 64 KiB
     * @param more the added pages, among those that the bytes cover
     */
    ChunkRecord merge(ChunkRecord before, long from, BitSet more, ByteBuffer bytes)
            throws IOException {
        int chunk = PackUnits.chunkOf(from);
        BitSet pages = (BitSet) before.pages().clone();
        int[] checksums = before.checksums();
        ByteBuffer scratch = SCRATCH.take();
        try {
            for (int page = more.nextSetBit(0); page >= 0; ) {
                int block = page / PackUnits.PAGES_OF_BLOCK;
                int first = block * PackUnits.PAGES_OF_BLOCK;
                BitSet added = more.get(first, first + PackUnits.PAGES_OF_BLOCK);
                BitSet kept = before.pagesOfBlock(block);
                int length = length(chunk, block);
                int at = bytes.position() + (int) (start(chunk, block) - from);
                ByteBuffer given = bytes.slice(at, length);
                if (!kept.isEmpty() && !isRead(before, chunk, block, scratch.slice(0, length))) {
                    pages.clear(first, first + PackUnits.PAGES_OF_BLOCK);
                    kept.clear();
                }
                for (int i = added.nextSetBit(0); i >= 0; i = added.nextSetBit(i + 1)) {
                    pages.set(first + i);
                    if (!kept.isEmpty()) {
                        scratch.put(i * PackUnits.PAGE, given, i * PackUnits.PAGE, PackUnits.PAGE);
                    }
                }
                BitSet all = pages.get(first, first + PackUnits.PAGES_OF_BLOCK);
                checksums[block] =
                        Checksums.of(kept.isEmpty() ? given : scratch.slice(0, length), all);
                page = more.nextSetBit(first + PackUnits.PAGES_OF_BLOCK);
            }
        } finally {
            SCRATCH.give(scratch);
        }
        return new ChunkRecord(pages, checksums);
    }

    /**
     * Returns the record of a chunk that keeps only some of its pages. A partly kept block that is
     * damaged loses all its pages.
     */
    ChunkRecord restrict(ChunkRecord before, int chunk, BitSet kept) throws IOException {
        BitSet pages = (BitSet) before.pages().clone();
        pages.and(kept);
        int[] checksums = before.checksums();
        ByteBuffer scratch = SCRATCH.take();
        try {
            for (int block = 0; block < PackUnits.BLOCKS_OF_CHUNK; block++) {
                int first = block * PackUnits.PAGES_OF_BLOCK;
                BitSet left = pages.get(first, first + PackUnits.PAGES_OF_BLOCK);
                if (left.isEmpty() || left.equals(before.pagesOfBlock(block))) {
                    continue;
                }
                ByteBuffer bytes = scratch.slice(0, length(chunk, block));
                if (isRead(before, chunk, block, bytes)) {
                    checksums[block] = Checksums.of(bytes, left);
                } else {
                    pages.clear(first, first + PackUnits.PAGES_OF_BLOCK);
                }
            }
        } finally {
            SCRATCH.give(scratch);
        }
        return new ChunkRecord(pages, checksums);
    }
}
