package dev.forebay.fuse.nodecache;

import java.util.BitSet;

/**
 * Which pages of a chunk are on disk, and the CRC-32C of each of its 64 KiB blocks, in which pages
 * that are not there count as zeros. Pages are counted from the chunk's first. Nobody changes what
 * it is made of.
 */
final class ChunkRecord {

    static final ChunkRecord EMPTY = new ChunkRecord(new BitSet(), new int[Sizes.BLOCKS_OF_CHUNK]);

    private final BitSet pages;
    private final int[] checksums;

    ChunkRecord(BitSet pages, int[] checksums) {
        this.pages = pages;
        this.checksums = checksums;
    }

    BitSet pages() {
        return pages;
    }

    /** The pages of one block, counted from the block's first. */
    BitSet pagesOfBlock(int block) {
        return pages.get(block * Sizes.PAGES_OF_BLOCK, (block + 1) * Sizes.PAGES_OF_BLOCK);
    }

    int checksum(int block) {
        return checksums[block];
    }

    /** A copy. */
    int[] checksums() {
        return checksums.clone();
    }

    ChunkRecord withoutBlock(int block) {
        BitSet fewer = (BitSet) pages.clone();
        fewer.clear(block * Sizes.PAGES_OF_BLOCK, (block + 1) * Sizes.PAGES_OF_BLOCK);
        return new ChunkRecord(fewer, checksums);
    }
}
