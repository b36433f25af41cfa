package dev.forebay.fuse.nodecache;

import java.util.BitSet;

/** The in-memory state of a chunk. Guarded by its pack's lock for the chunk. */
final class CachedChunk {

    /** All pages of a chunk. Most chunks share this object; it must not be modified. */
    private static final BitSet ALL = new BitSet();

    static {
        ALL.set(0, PackUnits.PAGES_OF_CHUNK);
    }

    final PackFile pack;
    final int index;

    /** The recorded pages; replaced as a whole, never modified. */
    private BitSet pages = new BitSet(0);

    /**
     * Whether all recorded pages were written or verified since the last time that a power failure
     * can have damaged them.
     */
    volatile boolean proven;

    /** The number of threads that store bytes into it now. */
    int storing;

    /**
     * Its slot in the {@link CacheCapacity} while it has pages; otherwise {@link
     * CacheCapacity#NO_SLOT}.
     */
    volatile int slot = CacheCapacity.NO_SLOT;

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

    /** Returns the bytes that the pages and their record take on disk. */
    static long footprint(BitSet pages) {
        return pages.isEmpty()
                ? 0
                : (long) pages.cardinality() * PackUnits.PAGE + PackMap.RECORD_STRIDE;
    }
}
