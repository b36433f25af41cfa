package dev.forebay.fuse.nodecache;

import dev.forebay.chunkstore.eviction.EvictionPolicy;
import dev.forebay.chunkstore.eviction.TinyLfu;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the disk space of the cache, keeps it within the capacity, and chooses chunks to evict.
 * Thread-safe.
 */
final class CacheCapacity {

    static final int NO_SLOT = -1;

    /**
     * The time for which the result "nothing can be evicted" is reused. The search visits all
     * chunks, which takes milliseconds per TiB.
     */
    private static final long NO_VICTIM_NANOS = Duration.ofSeconds(1).toNanos();

    /** The number of busy victims after which an eviction is given up. */
    private static final int MAX_BUSY = 64;

    private final long capacity;
    private final CacheCounters counters;
    private final AtomicLong used = new AtomicLong();
    private final EvictionPolicy policy;

    // Guarded by this.
    private final List<@Nullable CachedChunk> chunks = new ArrayList<>();
    private final List<Integer> free = new ArrayList<>();
    private long noVictimUntil = System.nanoTime();

    CacheCapacity(long capacity, CacheCounters counters) {
        this(capacity, counters, new TinyLfu());
    }

    /**
     * @param policy a policy without slots
     */
    CacheCapacity(long capacity, CacheCounters counters, EvictionPolicy policy) {
        this.capacity = capacity;
        this.counters = counters;
        this.policy = policy;
    }

    long capacity() {
        return capacity;
    }

    /** Returns the bytes that pages and records take on disk, including reservations. */
    long used() {
        return used.get();
    }

    /** Adds a chunk that was empty. The caller holds its lock. */
    synchronized void enter(CachedChunk chunk) {
        int slot = free.isEmpty() ? chunks.size() : free.removeLast();
        if (slot == chunks.size()) {
            chunks.add(chunk);
        } else {
            chunks.set(slot, chunk);
        }
        chunk.slot = slot;
        noVictimUntil = System.nanoTime();
        policy.add(slot, 31 * chunk.pack.id().hashCode() + chunk.index);
    }

    /** Removes a chunk that is empty now. The caller holds its lock. */
    synchronized void leave(CachedChunk chunk) {
        int slot = chunk.slot;
        if (slot != NO_SLOT) {
            policy.remove(slot);
            free.add(slot);
            chunks.set(slot, null);
            chunk.slot = NO_SLOT;
        }
    }

    /** Records another use of a chunk. */
    void touch(CachedChunk chunk) {
        int slot = chunk.slot;
        if (slot != NO_SLOT) {
            policy.touch(slot);
        }
    }

    private synchronized @Nullable CachedChunk victim() {
        if (System.nanoTime() - noVictimUntil < 0) {
            return null;
        }
        int slot = policy.victim(each -> !isHeld(chunks.get(each)));
        if (slot == EvictionPolicy.NONE) {
            noVictimUntil = System.nanoTime() + NO_VICTIM_NANOS;
            return null;
        }
        return chunks.get(slot);
    }

    private static boolean isHeld(@Nullable CachedChunk chunk) {
        return chunk == null || chunk.pack.holds().isHeld();
    }

    /** Adds to the used bytes; negative numbers subtract. */
    void add(long bytes) {
        used.addAndGet(bytes);
    }

    /** Reserves space, and evicts if necessary; returns false if there is none. */
    boolean reserve(long bytes) throws IOException {
        used.addAndGet(bytes);
        boolean reserved = false;
        try {
            reserved = freeSpace();
            return reserved;
        } finally {
            if (!reserved) {
                used.addAndGet(-bytes);
            }
        }
    }

    /** Evicts until the used bytes are within the capacity; returns whether they are. */
    boolean freeSpace() throws IOException {
        for (int busy = 0; used.get() > capacity && busy < MAX_BUSY; ) {
            CachedChunk victim = victim();
            if (victim == null) {
                // This result visited all chunks; another attempt would visit them again.
                break;
            }
            if (!evict(victim)) {
                busy++;
            }
        }
        return used.get() <= capacity;
    }

    /** Evicts one chunk if possible: the disk itself is full. */
    boolean evictOne() throws IOException {
        CachedChunk victim = victim();
        return victim != null && evict(victim);
    }

    private boolean evict(CachedChunk victim) throws IOException {
        if (!victim.pack.enter()) {
            return false;
        }
        try (PackFiles.Use use = new PackFiles.Use(victim.pack)) {
            return evict(use.file(), victim);
        }
    }

    private boolean evict(PackFile pack, CachedChunk victim) throws IOException {
        long freed = pack.evictor().evict(victim);
        if (freed == 0) {
            // Busy: marks it as used, so that other chunks are tried first.
            touch(victim);
            return false;
        }
        counters.evictedBytes.add(freed);
        return true;
    }
}
