package dev.forebay.benchmarks.eviction;

import dev.forebay.chunkstore.eviction.EvictionPolicy;
import dev.forebay.chunkstore.eviction.SlotQueue;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * S3-FIFO. A small queue, a tenth of all slots, holds new slots. The main queue holds slots that
 * were used again there or came back soon. A ghost list holds the keys that left the small queue,
 * as many as the main queue has slots. From Yang, Zhang, Qiu, Yue and Rashmi, "FIFO Queues are All
 * You Need for Cache Eviction", SOSP 2023. Not thread-safe.
 */
final class S3Fifo implements EvictionPolicy {

    private static final int MOST_USES = 3;
    private static final int SMALL_SHARE = 10;

    private final SlotQueue.Links links = new SlotQueue.Links();
    private final SlotQueue small = new SlotQueue(links);
    private final SlotQueue main = new SlotQueue(links);
    private final Set<Integer> ghosts = new LinkedHashSet<>();
    private final byte[] uses;
    private final boolean[] inMain;
    private final int[] keys;

    S3Fifo(int slots) {
        uses = new byte[slots];
        inMain = new boolean[slots];
        keys = new int[slots];
    }

    @Override
    public void add(int slot, int key) {
        keys[slot] = key;
        uses[slot] = 0;
        inMain[slot] = ghosts.remove(key);
        (inMain[slot] ? main : small).add(slot);
    }

    @Override
    public void touch(int slot) {
        uses[slot] = (byte) Math.min(MOST_USES, uses[slot] + 1);
    }

    @Override
    public void remove(int slot) {
        if (inMain[slot]) {
            main.remove(slot);
            return;
        }
        small.remove(slot);
        ghosts.add(keys[slot]);
        Iterator<Integer> oldest = ghosts.iterator();
        while (ghosts.size() > main.size() + small.size()) {
            oldest.next();
            oldest.remove();
        }
    }

    @Override
    public int victim(IntPredicate evictable) {
        while (small.size() + main.size() > 0) {
            boolean fromSmall =
                    main.size() == 0 || small.size() > (small.size() + main.size()) / SMALL_SHARE;
            int at = (fromSmall ? small : main).oldest();
            if (uses[at] == 0) {
                return at;
            }
            if (fromSmall) {
                small.remove(at);
                inMain[at] = true;
                uses[at] = 0;
            } else {
                main.remove(at);
                uses[at]--;
            }
            main.add(at);
        }
        return NONE;
    }
}
