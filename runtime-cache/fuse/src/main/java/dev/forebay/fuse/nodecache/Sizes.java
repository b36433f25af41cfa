package dev.forebay.fuse.nodecache;

import dev.forebay.model.ChunkId;
import java.util.BitSet;

/** The units that a pack is divided into. Part of the file format, not settings. */
final class Sizes {

    /** What is present or not: the alignment of every object in a pack. */
    static final int PAGE = ChunkId.ALIGNMENT_BYTES;

    /** What has a checksum, and what is fetched at least. */
    static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;

    /** What is fetched at most by one request, by one reader at a time. */
    static final int PIECE = 1 << 20;

    /** What has one record in the map, and is evicted as a whole. */
    static final int CHUNK = ChunkId.CHUNK_BYTES;

    static final int PAGES_OF_BLOCK = BLOCK / PAGE;
    static final int PAGES_OF_CHUNK = CHUNK / PAGE;
    static final int BLOCKS_OF_CHUNK = CHUNK / BLOCK;

    private Sizes() {}

    /** How many chunks a pack of this length has. */
    static int chunks(long packBytes) {
        return Math.toIntExact(Math.ceilDiv(packBytes, CHUNK));
    }

    /** How long the file of a pack of this length is as a device: whole pages. */
    static long fileBytes(long packBytes) {
        return Math.ceilDiv(packBytes, PAGE) * PAGE;
    }

    /** How many pages a chunk of a pack of this length has. */
    static int pages(long packBytes, int chunk) {
        long bytes = Math.min(CHUNK, packBytes - (long) chunk * CHUNK);
        return (int) Math.ceilDiv(bytes, PAGE);
    }

    /** The index of the chunk that holds this byte of a pack. */
    static int chunkOf(long offset) {
        return Math.toIntExact(offset / CHUNK);
    }

    /** The pages, counted from their chunk's first, that a range within one chunk touches. */
    static BitSet pagesOf(long from, long to) {
        BitSet pages = new BitSet(PAGES_OF_CHUNK);
        pages.set((int) (from % CHUNK) / PAGE, (int) ((to - 1) % CHUNK) / PAGE + 1);
        return pages;
    }

    /** The blocks, counted from their chunk's first, that have some of these pages. */
    static BitSet blocksOf(BitSet pages) {
        BitSet blocks = new BitSet(BLOCKS_OF_CHUNK);
        pages.stream().forEach(page -> blocks.set(page / PAGES_OF_BLOCK));
        return blocks;
    }

    /** Where the block with this page begins, in the chunk. */
    static int blockStart(int page) {
        return page / PAGES_OF_BLOCK * BLOCK;
    }

    /** Where the block with this page ends, in the chunk; the pack may end before. */
    static int blockEnd(int page) {
        return blockStart(page) + BLOCK;
    }

    /** The offset in the pack of a chunk's page. */
    static long offset(int chunk, int page) {
        return (long) chunk * CHUNK + (long) page * PAGE;
    }
}
