package dev.forebay.fuse.nodecache;

import dev.forebay.chunkstore.eviction.EvictionPolicy;
import dev.forebay.chunkstore.eviction.EvictionPolicy.Ticket;
import dev.forebay.chunkstore.eviction.Sieve;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of the disk the cache takes, never more than it may, and what goes when room is needed.
 * Safe for use by many threads.
 */
final class Space {

    /** How many victims turn out to be busy before it is too full. */
    private static final int MAX_BUSY = 64;

    private final long capacity;
    private final CacheCounters counters;
    private final AtomicLong used = new AtomicLong();
    private final EvictionPolicy<CachedChunk> policy = new Sieve<>();

    Space(long capacity, CacheCounters counters) {
        this.capacity = capacity;
        this.counters = counters;
    }

    long capacity() {
        return capacity;
    }

    /** What pages and records take on disk, and what is reserved for more. */
    long used() {
        return used.get();
    }

    /** Enters a chunk that was empty; under its lock. */
    void enter(CachedChunk chunk) {
        chunk.ticket = policy.add(chunk);
    }

    /** Takes a chunk out that is empty now; under its lock. */
    void leave(CachedChunk chunk) {
        Ticket ticket = chunk.ticket;
        if (ticket != null) {
            ticket.remove();
            chunk.ticket = null;
        }
    }

    /** Counts bytes that are there, or less than there were. */
    void add(long bytes) {
        used.addAndGet(bytes);
    }

    /** Sets room aside, evicting if need be; false if there is none. */
    boolean reserve(long bytes) throws IOException {
        used.addAndGet(bytes);
        if (makeRoom()) {
            return true;
        }
        used.addAndGet(-bytes);
        return false;
    }

    /** Evicts until no more is used than may be. */
    boolean makeRoom() throws IOException {
        for (int busy = 0; used.get() > capacity && busy < MAX_BUSY; ) {
            if (!evictOne()) {
                busy++;
            }
        }
        return used.get() <= capacity;
    }

    /** Evicts something if anything can be: the disk itself is full. */
    boolean evictOne() throws IOException {
        Optional<CachedChunk> victim = policy.victim(chunk -> !chunk.pack.isHeld());
        if (victim.isEmpty()) {
            return false;
        }
        long freed = victim.get().pack.evict(victim.get());
        if (freed == 0) {
            // Busy: let the hand pass it.
            victim.get().touch();
            return false;
        }
        counters.evictedBytes.add(freed);
        return true;
    }
}
