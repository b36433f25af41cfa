package dev.forebay.chunkstore.eviction;

import java.util.function.IntPredicate;

/**
 * Chooses the chunk to evict next, by what was used before.
 *
 * <p>An entry is known by its slot: a small number that the owner assigns, and may assign again
 * after a removal. A policy is thus a few arrays, and millions of chunks need no objects. Safe for
 * use by many threads.
 */
public interface EvictionPolicy {

    /** The result of {@link #victim} if no entry may be evicted. */
    int NONE = -1;

    /**
     * Adds the entry in a slot. Call it once for each entry.
     *
     * @param slot from 0, and as small as possible: memory is proportional to the largest
     * @param key a hash of the entry's identity, the same whenever the entry is added again
     */
    void add(int slot, int key);

    /**
     * Records a use. It must be cheap, because every read calls it. A call for an entry that was
     * removed, or whose slot was assigned again, does no harm.
     */
    void touch(int slot);

    /** Removes an entry. Does nothing if the slot is empty. */
    void remove(int slot);

    /**
     * Returns the slot to evict next among those that may be evicted, or {@link #NONE} if none may.
     * The entry stays until it is removed.
     */
    int victim(IntPredicate evictable);
}
