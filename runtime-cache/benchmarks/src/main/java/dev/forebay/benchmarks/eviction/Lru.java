package dev.forebay.benchmarks.eviction;

import dev.forebay.chunkstore.eviction.EvictionPolicy;
import dev.forebay.chunkstore.eviction.SlotQueue;
import java.util.function.IntPredicate;

/** Evicts the least recently used slot: the baseline. Not thread-safe. */
final class Lru implements EvictionPolicy {

    private final SlotQueue queue = new SlotQueue(new SlotQueue.Links());

    @Override
    public void add(int slot, int key) {
        queue.add(slot);
    }

    @Override
    public void touch(int slot) {
        queue.remove(slot);
        queue.add(slot);
    }

    @Override
    public void remove(int slot) {
        queue.remove(slot);
    }

    @Override
    public int victim(IntPredicate evictable) {
        int at = queue.oldest();
        while (at != NONE && !evictable.test(at)) {
            at = queue.newer(at);
        }
        return at;
    }
}
