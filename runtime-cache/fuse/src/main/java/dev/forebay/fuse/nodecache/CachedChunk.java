package dev.forebay.fuse.nodecache;

import java.util.BitSet;

/** What is known in memory of a chunk. Guarded by its pack's lock of the chunk. */
final class CachedChunk {

    /** The pages of most chunks of a cache, shared by them. Nobody changes it. */
    private static final BitSet ALL = new BitSet();

    static {
        ALL.set(0, Sizes.PAGES_OF_CHUNK);
    }

    final PackFile pack;
    final int index;

    /** The pages that are recorded; replaced, never changed. */
    private BitSet pages = new BitSet(0);

    /**
     * Whether what is recorded was written, or compared with its checksums, since the last time
     * that a power failure can have harmed it.
     */
    volatile boolean proven;

    /** How many are putting bytes into it now. */
    int storing;

    /** Its place in the {@link Space}, as long as it has pages; else {@link Space#NO_SLOT}. */
    volatile int slot = Space.NO_SLOT;

    CachedChunk(PackFile pack, int index) {
        this.pack = pack;
        this.index = index;
    }

    BitSet pages() {
        return pages;
    }

    void pages(BitSet now) {
        pages = now.equals(ALL) ? ALL : now;
    }

    boolean holds(BitSet wanted) {
        BitSet missing = (BitSet) wanted.clone();
        missing.andNot(pages);
        return missing.isEmpty();
    }

    /** What its pages and its record take on disk. */
    static long footprint(BitSet pages) {
        return pages.isEmpty()
                ? 0
                : (long) pages.cardinality() * Sizes.PAGE + PackMap.RECORD_STRIDE;
    }
}
