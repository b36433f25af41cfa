package dev.forebay.chunkstore.eviction;

import java.util.function.IntPredicate;

/**
 * Remembers what was used and chooses what goes.
 *
 * <p>What is kept is known by its slot, a small number that its keeper gives it, and that may be
 * given to another when it is out. So a policy is a few arrays, and millions of chunks cost no
 * objects. Safe for use by many threads.
 */
public interface EvictionPolicy {

    /** There is nothing to evict. */
    int NONE = -1;

    /**
     * Enters what has a slot now, once.
     *
     * @param slot from 0, and as small as can be: memory is proportional to the largest
     * @param key a hash of what it is, the same whenever it comes back
     */
    void add(int slot, int key);

    /**
     * Says that it was used. Cheap: called on every read. Does nothing of consequence if it is out
     * by now, or another has the slot.
     */
    void touch(int slot);

    /** Takes it out; does nothing if it is out. */
    void remove(int slot);

    /**
     * The slot to evict next among those that may be evicted, or {@link #NONE} if none may. It
     * stays entered until it is removed.
     */
    int victim(IntPredicate evictable);
}
