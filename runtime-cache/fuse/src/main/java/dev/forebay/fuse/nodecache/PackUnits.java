package dev.forebay.fuse.nodecache;

import dev.forebay.model.ChunkId;
import java.util.BitSet;

/** The units of a pack. They are part of the file format, not settings. */
final class PackUnits {

    /** The unit of presence: the alignment of every object in a pack. */
    static final int PAGE = ChunkId.ALIGNMENT_BYTES;

    /** The unit of checksums, and the smallest unit of a fetch. */
    static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;

    /** The largest unit of a fetch, which one thread at a time fetches. */
    static final int PIECE = 1 << 20;

    /** The unit of records in the map, and of eviction. */
    static final int CHUNK = ChunkId.CHUNK_BYTES;

    static final int PAGES_OF_BLOCK = BLOCK / PAGE;
    static final int PAGES_OF_CHUNK = CHUNK / PAGE;
    static final int BLOCKS_OF_CHUNK = CHUNK / BLOCK;

    private PackUnits() {}

    /** Returns the number of chunks of a pack of this length. */
    static int chunks(long packBytes) {
        return Math.toIntExact(Math.ceilDiv(packBytes, CHUNK));
    }

    /** Returns the length of a pack's file as a device: whole pages. */
    static long fileBytes(long packBytes) {
        return Math.ceilDiv(packBytes, PAGE) * PAGE;
    }

    /** Returns the number of pages of a chunk in a pack of this length. */
    static int pages(long packBytes, int chunk) {
        long bytes = Math.min(CHUNK, packBytes - (long) chunk * CHUNK);
        return (int) Math.ceilDiv(bytes, PAGE);
    }

    /** Returns the index of the chunk that holds this byte of a pack. */
    static int chunkOf(long offset) {
        return Math.toIntExact(offset / CHUNK);
    }

    /**
     * Returns the pages, counted from their chunk's first, that a range within one chunk touches.
     */
    static BitSet pagesOf(long from, long to) {
        BitSet pages = new BitSet(PAGES_OF_CHUNK);
        pages.set((int) (from % CHUNK) / PAGE, (int) ((to - 1) % CHUNK) / PAGE + 1);
        return pages;
    }

    /** Returns the blocks, counted from their chunk's first, that contain any of these pages. */
    static BitSet blocksOf(BitSet pages) {
        BitSet blocks = new BitSet(BLOCKS_OF_CHUNK);
        pages.stream().forEach(page -> blocks.set(page / PAGES_OF_BLOCK));
        return blocks;
    }

    /** Returns the start of the block with this page, in the chunk. */
    static int blockStart(int page) {
        return page / PAGES_OF_BLOCK * BLOCK;
    }

    /** Returns the end of the block with this page, in the chunk; the pack may end earlier. */
    static int blockEnd(int page) {
        return blockStart(page) + BLOCK;
    }

    /** Returns the offset in the pack of a chunk's page. */
    static long offset(int chunk, int page) {
        return (long) chunk * CHUNK + (long) page * PAGE;
    }
}
