package dev.forebay.chunkstore.eviction;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Evicts with W-TinyLFU: Einziger, Friedman and Manes, "TinyLFU: A Highly Efficient Cache Admission
 * Policy", ACM ToS 2017.
 *
 * <p>A window takes new slots, one in a hundred of all. Behind it are a probation part for slots
 * used once, and a protected part, four times as large, for slots used again. Each part is in order
 * of use. A slot that leaves the window stays only if it was used more often lately than the slot
 * that would be evicted instead. When a job reads more than the store can hold, most chunks thus
 * stay in place, and the next pass finds them.
 *
 * <p>A slot that may not be evicted is set aside when a search meets it, so that later searches
 * skip it. Each eviction checks a few of these slots again. Those that may be evicted then count as
 * used again. Takes some 25 bytes for each slot.
 */
public final class TinyLfu implements EvictionPolicy {

    private static final int WINDOW_SHARE = 100;

    private static final byte OUT = -1;
    private static final byte WINDOW = 0;
    private static final byte PROBATION = 1;
    private static final byte PROTECTED = 2;
    private static final byte ASIDE = 3;

    /** The number of slots set aside that each eviction checks again. */
    private static final int ASIDE_CHECKS = 4;

    private final SlotQueue.Links links = new SlotQueue.Links();
    private final SlotQueue[] parts = {
        new SlotQueue(links), new SlotQueue(links), new SlotQueue(links), new SlotQueue(links)
    };
    private final FrequencySketch sketch = new FrequencySketch();
    private byte[] part = new byte[0];
    private int[] keys = new int[0];

    private int size() {
        return parts[WINDOW].size()
                + parts[PROBATION].size()
                + parts[PROTECTED].size()
                + parts[ASIDE].size();
    }

    private int windowSize() {
        return Math.max(1, size() / WINDOW_SHARE);
    }

    @Override
    public synchronized void add(int slot, int key) {
        if (slot >= part.length) {
            int from = part.length;
            part = Arrays.copyOf(part, Math.max(16, slot + 1 + (slot >> 1)));
            keys = Arrays.copyOf(keys, part.length);
            Arrays.fill(part, from, part.length, OUT);
        }
        keys[slot] = key;
        part[slot] = WINDOW;
        parts[WINDOW].add(slot);
        sketch.ensure(size());
        sketch.count(key, size());
        while (parts[WINDOW].size() > windowSize()) {
            move(parts[WINDOW].oldest(), PROBATION);
        }
    }

    private void move(int slot, byte to) {
        parts[part[slot]].remove(slot);
        part[slot] = to;
        parts[to].add(slot);
    }

    @Override
    public synchronized void touch(int slot) {
        if (slot >= part.length || part[slot] == OUT) {
            return;
        }
        sketch.count(keys[slot], size());
        move(slot, part[slot] == PROBATION ? PROTECTED : part[slot]);
        if (parts[PROTECTED].size() > (size() - windowSize()) / 5 * 4) {
            move(parts[PROTECTED].oldest(), PROBATION);
        }
    }

    @Override
    public synchronized void remove(int slot) {
        if (slot < part.length && part[slot] != OUT) {
            parts[part[slot]].remove(slot);
            part[slot] = OUT;
        }
    }

    @Override
    public synchronized int victim(IntPredicate evictable) {
        lookAgain(evictable);
        int settled = oldest(PROBATION, evictable);
        if (settled == NONE) {
            settled = oldest(PROTECTED, evictable);
        }
        // The entry that is about to be added will push this one out of the window.
        boolean full = parts[WINDOW].size() >= windowSize();
        int candidate = full || settled == NONE ? oldest(WINDOW, evictable) : NONE;
        if (candidate == NONE && settled == NONE) {
            return oldest(ASIDE, evictable);
        }
        if (candidate == NONE || settled == NONE) {
            return settled == NONE ? candidate : settled;
        }
        if (sketch.frequency(keys[candidate]) <= sketch.frequency(keys[settled])) {
            return candidate;
        }
        move(candidate, PROBATION);
        return settled;
    }

    private void lookAgain(IntPredicate evictable) {
        for (int looks = Math.min(ASIDE_CHECKS, parts[ASIDE].size()); looks > 0; looks--) {
            int slot = parts[ASIDE].oldest();
            move(slot, evictable.test(slot) ? PROTECTED : ASIDE);
        }
    }

    private int oldest(byte of, IntPredicate evictable) {
        for (int steps = parts[of].size(); steps > 0; steps--) {
            int slot = parts[of].oldest();
            if (evictable.test(slot)) {
                return slot;
            }
            move(slot, ASIDE);
        }
        return NONE;
    }
}
