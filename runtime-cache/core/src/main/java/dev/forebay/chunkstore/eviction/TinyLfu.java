package dev.forebay.chunkstore.eviction;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * W-TinyLFU: a window for what is new, one in a hundred; behind it a part for what was used once
 * and one, four times as large, for what was used again, each in order of use. What leaves the
 * window stays only if it was used more often lately than what would go for it. So a pass over more
 * than there is room for leaves most of what was there in its place, and the next pass finds it.
 * From Einziger, Friedman and Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", ACM ToS
 * 2017.
 *
 * <p>What may not be evicted is set aside when it is met, so that it is not met at each eviction; a
 * few of those are looked at again each time, and count as used again when they may go. Some 25
 * bytes for each slot.
 */
public final class TinyLfu implements EvictionPolicy {

    private static final int WINDOW_SHARE = 100;

    private static final byte OUT = -1;
    private static final byte WINDOW = 0;
    private static final byte PROBATION = 1;
    private static final byte PROTECTED = 2;
    private static final byte ASIDE = 3;

    /** How many of those set aside are looked at again at each eviction. */
    private static final int LOOKS = 4;

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
        // What is about to come in will push this one out of the window.
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
        for (int looks = Math.min(LOOKS, parts[ASIDE].size()); looks > 0; looks--) {
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
