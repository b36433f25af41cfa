package dev.forebay.chunkstore.eviction;

import java.util.Arrays;

/**
 * A linked list of slots in order of entry. Lists that share their {@link Links} never have a slot
 * in common. Not safe for use by many threads.
 */
public final class SlotQueue {

    /** The links between slots, shared by any number of queues. */
    public static final class Links {
        private int[] newer = new int[0];
        private int[] older = new int[0];

        void ensure(int slot) {
            if (slot >= newer.length) {
                int length = Math.max(16, slot + 1 + (slot >> 1));
                newer = Arrays.copyOf(newer, length);
                older = Arrays.copyOf(older, length);
            }
        }
    }

    private static final int NONE = EvictionPolicy.NONE;

    private final Links links;
    private int newest = NONE;
    private int oldest = NONE;
    private int size;

    public SlotQueue(Links links) {
        this.links = links;
    }

    /** Adds a slot that is in no queue. */
    public void add(int slot) {
        links.ensure(slot);
        links.older[slot] = newest;
        links.newer[slot] = NONE;
        if (newest == NONE) {
            oldest = slot;
        } else {
            links.newer[newest] = slot;
        }
        newest = slot;
        size++;
    }

    /** Removes a slot that is in this queue. */
    public void remove(int slot) {
        int newer = links.newer[slot];
        int older = links.older[slot];
        if (newer == NONE) {
            newest = older;
        } else {
            links.older[newer] = older;
        }
        if (older == NONE) {
            oldest = newer;
        } else {
            links.newer[older] = newer;
        }
        size--;
    }

    /** Returns the slot that was added first, or -1. */
    public int oldest() {
        return oldest;
    }

    /** Returns the slot that was added next after one of this queue, or -1. */
    public int newer(int slot) {
        return links.newer[slot];
    }

    public int size() {
        return size;
    }
}
