package dev.forebay.chunkstore.eviction;

import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * SIEVE: a queue in order of entry, a visited mark per key, and a hand that moves from the oldest
 * to the newest, unmarking what it passes and choosing the first unmarked.
 *
 * <p>A use sets a mark and moves nothing, so a read takes no lock. A scan goes out as it came in:
 * what was never used a second time is unmarked when the hand passes. From Zhang, Yang, Yue,
 * Vigfusson and Rashmi, "SIEVE is Simpler than LRU: an Efficient Turn-Key Eviction Algorithm for
 * Web Caches", NSDI 2024.
 *
 * <p>Keys that may not be evicted are passed without losing their mark. Choosing costs one step for
 * each key passed, at most two rounds.
 */
public final class Sieve<K> implements EvictionPolicy<K> {

    private final class Node implements Ticket {
        final K key;
        volatile boolean visited;
        boolean entered = true;
        @Nullable Node newer;
        @Nullable Node older;

        Node(K key) {
            this.key = key;
        }

        @Override
        public void touch() {
            // Reading first keeps a hot key's cache line shared.
            if (!visited) {
                visited = true;
            }
        }

        @Override
        public void remove() {
            unlink(this);
        }
    }

    private @Nullable Node newest;
    private @Nullable Node oldest;
    private @Nullable Node hand;
    private long size;

    @Override
    public synchronized Ticket add(K key) {
        Node node = new Node(key);
        node.older = newest;
        if (newest != null) {
            newest.newer = node;
        }
        newest = node;
        if (oldest == null) {
            oldest = node;
        }
        size++;
        return node;
    }

    @Override
    public synchronized Optional<K> victim(Predicate<K> evictable) {
        Node at = hand;
        for (long steps = 2 * size; steps > 0; steps--) {
            if (at == null) {
                at = oldest;
            }
            if (at == null) {
                break;
            }
            if (evictable.test(at.key)) {
                if (!at.visited) {
                    hand = at;
                    return Optional.of(at.key);
                }
                at.visited = false;
            }
            at = at.newer;
        }
        hand = at;
        return Optional.empty();
    }

    private synchronized void unlink(Node node) {
        if (!node.entered) {
            return;
        }
        node.entered = false;
        if (hand == node) {
            hand = node.newer;
        }
        if (node.newer == null) {
            newest = node.older;
        } else {
            node.newer.older = node.older;
        }
        if (node.older == null) {
            oldest = node.newer;
        } else {
            node.older.newer = node.newer;
        }
        size--;
    }
}
