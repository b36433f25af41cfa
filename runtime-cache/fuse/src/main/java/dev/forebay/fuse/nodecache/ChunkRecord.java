package dev.forebay.fuse.nodecache;

import java.util.BitSet;

/**
 * The pages of a chunk that are on disk, counted from its first, and the CRC-32C of each of its 64
 * KiB blocks. Absent pages count as zeros. Immutable: callers must not modify the page sets.
 */
final class ChunkRecord {

    static final ChunkRecord EMPTY =
            new ChunkRecord(new BitSet(), new int[PackUnits.BLOCKS_OF_CHUNK]);

    private final BitSet pages;
    private final int[] checksums;

    ChunkRecord(BitSet pages, int[] checksums) {
        this.pages = pages;
        this.checksums = checksums;
    }

    BitSet pages() {
        return pages;
    }

    /** Returns the pages of one block, counted from the block's first. */
    BitSet pagesOfBlock(int block) {
        return pages.get(block * PackUnits.PAGES_OF_BLOCK, (block + 1) * PackUnits.PAGES_OF_BLOCK);
    }

    int checksum(int block) {
        return checksums[block];
    }

    /** Returns a copy of the checksums. */
    int[] checksums() {
        return checksums.clone();
    }

    ChunkRecord withoutBlock(int block) {
        BitSet fewer = (BitSet) pages.clone();
        fewer.clear(block * PackUnits.PAGES_OF_BLOCK, (block + 1) * PackUnits.PAGES_OF_BLOCK);
        return new ChunkRecord(fewer, checksums);
    }
}
