package dev.forebay.benchmarks.eviction;

import dev.forebay.chunkstore.eviction.EvictionPolicy;
import dev.forebay.chunkstore.eviction.SlotQueue;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * SIEVE: a queue in order of entry, a visited mark for each slot, and a hand. The hand moves from
 * the oldest to the newest slot, clears the marks that it passes, and chooses the first unmarked
 * slot.
 *
 * <p>A use sets a mark and moves nothing, so a read takes no lock. A scan leaves as it came: a slot
 * that was used only once has no mark when the hand arrives. From Zhang, Yang, Yue, Vigfusson and
 * Rashmi, "SIEVE is Simpler than LRU: an Efficient Turn-Key Eviction Algorithm for Web Caches",
 * NSDI 2024.
 *
 * <p>The hand passes slots that may not be evicted without clearing their marks. A choice costs one
 * step for each passed slot, at most two rounds. Needs 9 bytes for each slot.
 */
final class Sieve implements EvictionPolicy {

    private static final byte OUT = 0;
    private static final byte IN = 1;
    private static final byte VISITED = 2;

    private final SlotQueue queue = new SlotQueue(new SlotQueue.Links());
    // A mark may be lost if it is set while the array grows. The loss is rare and costs one use.
    private volatile byte[] states = new byte[0];
    private int hand = NONE;

    @Override
    public synchronized void add(int slot, int key) {
        if (slot >= states.length) {
            states = Arrays.copyOf(states, Math.max(16, slot + 1 + (slot >> 1)));
        }
        queue.add(slot);
        states[slot] = IN;
    }

    @Override
    public void touch(int slot) {
        byte[] now = states;
        // Reading first keeps the cache line of a hot slot shared.
        if (slot < now.length && now[slot] == IN) {
            now[slot] = VISITED;
        }
    }

    @Override
    public synchronized void remove(int slot) {
        if (slot >= states.length || states[slot] == OUT) {
            return;
        }
        states[slot] = OUT;
        if (hand == slot) {
            hand = queue.newer(slot);
        }
        queue.remove(slot);
    }

    @Override
    public synchronized int victim(IntPredicate evictable) {
        int at = hand;
        for (long steps = 2L * queue.size(); steps > 0; steps--) {
            if (at == NONE) {
                at = queue.oldest();
            }
            if (evictable.test(at)) {
                if (states[at] != VISITED) {
                    hand = at;
                    return at;
                }
                states[at] = IN;
            }
            at = queue.newer(at);
        }
        hand = at;
        return NONE;
    }
}
