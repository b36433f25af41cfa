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
 * How much of the disk the cache takes, never more than it may, and what goes when room is needed.
 * Safe for use by many threads.
 */
final class Space {

    static final int NO_SLOT = -1;

    /**
     * How long it is taken for granted that nothing may go, if nothing could: to find that out, all
     * that is here is passed, milliseconds for each TiB.
     */
    private static final long NOTHING_GOES_NANOS = Duration.ofSeconds(1).toNanos();

    /** How many victims turn out to be busy before it is too full. */
    private static final int MAX_BUSY = 64;

    private final long capacity;
    private final CacheCounters counters;
    private final AtomicLong used = new AtomicLong();
    private final EvictionPolicy policy;

    // Guarded by this.
    private final List<@Nullable CachedChunk> chunks = new ArrayList<>();
    private final List<Integer> free = new ArrayList<>();
    private long nothingGoesUntil = System.nanoTime();

    Space(long capacity, CacheCounters counters) {
        this(capacity, counters, new TinyLfu());
    }

    /**
     * @param policy knows no slot yet
     */
    Space(long capacity, CacheCounters counters, EvictionPolicy policy) {
        this.capacity = capacity;
        this.counters = counters;
        this.policy = policy;
    }

    long capacity() {
        return capacity;
    }

    /** What pages and records take on disk, and what is reserved for more. */
    long used() {
        return used.get();
    }

    /** Enters a chunk that was empty; under its lock. */
    synchronized void enter(CachedChunk chunk) {
        int slot = free.isEmpty() ? chunks.size() : free.removeLast();
        if (slot == chunks.size()) {
            chunks.add(chunk);
        } else {
            chunks.set(slot, chunk);
        }
        chunk.slot = slot;
        nothingGoesUntil = System.nanoTime();
        policy.add(slot, 31 * chunk.pack.id().hashCode() + chunk.index);
    }

    /** Takes a chunk out that is empty now; under its lock. */
    synchronized void leave(CachedChunk chunk) {
        int slot = chunk.slot;
        if (slot != NO_SLOT) {
            policy.remove(slot);
            free.add(slot);
            chunks.set(slot, null);
            chunk.slot = NO_SLOT;
        }
    }

    /** Says that a chunk was used again. */
    void touch(CachedChunk chunk) {
        int slot = chunk.slot;
        if (slot != NO_SLOT) {
            policy.touch(slot);
        }
    }

    private synchronized @Nullable CachedChunk victim() {
        if (System.nanoTime() - nothingGoesUntil < 0) {
            return null;
        }
        int slot = policy.victim(each -> !isHeld(chunks.get(each)));
        if (slot == EvictionPolicy.NONE) {
            nothingGoesUntil = System.nanoTime() + NOTHING_GOES_NANOS;
            return null;
        }
        return chunks.get(slot);
    }

    private static boolean isHeld(@Nullable CachedChunk chunk) {
        return chunk == null || chunk.pack.holds().isHeld();
    }

    /** Counts bytes that are there, or less than there were. */
    void add(long bytes) {
        used.addAndGet(bytes);
    }

    /** Sets room aside, evicting if need be; false if there is none. */
    boolean reserve(long bytes) throws IOException {
        used.addAndGet(bytes);
        boolean reserved = false;
        try {
            reserved = makeRoom();
            return reserved;
        } finally {
            if (!reserved) {
                used.addAndGet(-bytes);
            }
        }
    }

    /** Evicts until no more is used than may be. */
    boolean makeRoom() throws IOException {
        for (int busy = 0; used.get() > capacity && busy < MAX_BUSY; ) {
            CachedChunk victim = victim();
            if (victim == null) {
                // All that is here was passed to find that out, and would be again.
                break;
            }
            if (!evict(victim)) {
                busy++;
            }
        }
        return used.get() <= capacity;
    }

    /** Evicts something if anything can be: the disk itself is full. */
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
            // Busy: let others be looked at first.
            touch(victim);
            return false;
        }
        counters.evictedBytes.add(freed);
        return true;
    }
}
