package dev.forebay.fuse.nodecache;

import java.io.IOException;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The cached chunks of a pack: in memory, in its {@link PackMap}, and in the cache's {@link
 * CacheCapacity}.
 *
 * <p>Each chunk has a lock, which several chunks may share. A thread that reads pages from the file
 * holds the read lock, so that they are not removed meanwhile. A thread that changes the record
 * holds the write lock. Bytes are written without the lock, into pages that are not recorded yet.
 * Thread-safe.
 */
final class CachedChunks {

    private static final int MAX_LOCKS = 64;

    private final PackFile pack;
    private final PackMap map;
    private final CacheCapacity space;
    private final AtomicReferenceArray<@Nullable CachedChunk> chunks;
    private final ReadWriteLock[] locks;

    CachedChunks(PackFile pack, PackMap map, CacheCapacity space) {
        this.pack = pack;
        this.map = map;
        this.space = space;
        this.chunks = new AtomicReferenceArray<>(PackUnits.chunks(map.packBytes()));
        this.locks = new ReadWriteLock[Math.min(chunks.length(), MAX_LOCKS)];
        for (int i = 0; i < locks.length; i++) {
            locks[i] = new ReentrantReadWriteLock();
        }
    }

    /** Returns the number of chunks of the pack. */
    int count() {
        return chunks.length();
    }

    /** Returns the state of a chunk, or null if nothing of it is cached. */
    @Nullable CachedChunk find(int index) {
        return chunks.get(index);
    }

    Lock readLock(int index) {
        return locks[index % locks.length].readLock();
    }

    Lock writeLock(int index) {
        return locks[index % locks.length].writeLock();
    }

    /** Returns whether nothing of the pack is cached. */
    boolean isEmpty() {
        for (int index = 0; index < chunks.length(); index++) {
            if (!isEmpty(index)) {
                return false;
            }
        }
        return true;
    }

    boolean isEmpty(int index) {
        CachedChunk chunk = chunks.get(index);
        return chunk == null || chunk.slot == CacheCapacity.NO_SLOT;
    }

    /** Returns the cached pages of a chunk, which the caller must not modify. */
    BitSet pages(int index) {
        CachedChunk chunk = chunks.get(index);
        if (chunk == null) {
            return new BitSet(0);
        }
        Lock lock = readLock(index);
        lock.lock();
        try {
            return chunk.pages();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the wanted pages of a chunk that are not cached. */
    BitSet missing(int index, BitSet wanted) {
        BitSet missing = (BitSet) wanted.clone();
        missing.andNot(pages(index));
        return missing;
    }

    /** Returns whether other pages of a chunk than these are cached. */
    boolean hasOthers(int index, BitSet these) {
        BitSet others = (BitSet) pages(index).clone();
        others.andNot(these);
        return !others.isEmpty();
    }

    /** Returns the number of cached bytes of a chunk. */
    long bytesHere(int index) {
        return (long) pages(index).cardinality() * PackUnits.PAGE;
    }

    /** Records another use of a chunk. */
    void touch(int index) {
        CachedChunk chunk = chunks.get(index);
        if (chunk != null) {
            space.touch(chunk);
        }
    }

    /** Returns the record of a chunk. The caller holds its lock. */
    ChunkRecord recorded(int index) throws IOException {
        return map.read(index);
    }

    /** Writes the record of a chunk. The caller holds the write lock. */
    void record(CachedChunk chunk, ChunkRecord now) throws IOException {
        map.write(chunk.index, now);
        publish(chunk, now.pages());
    }

    /** Adds pages that an earlier process recorded. Only before the pack is in use. */
    void adopt(int index, BitSet pages, boolean proven) {
        CachedChunk chunk = new CachedChunk(pack, index);
        chunk.proven = proven;
        chunks.set(index, chunk);
        publish(chunk, pages);
    }

    /** Forgets adopted chunks, so that eviction does not choose them: the pack cannot be used. */
    void abandon() {
        for (int index = 0; index < chunks.length(); index++) {
            CachedChunk chunk = chunks.get(index);
            if (chunk != null) {
                publish(chunk, new BitSet(0));
                forget(chunk);
            }
        }
    }

    /**
     * Forgets an empty chunk. The caller holds the write lock, and no thread stores into the chunk.
     */
    void forget(CachedChunk chunk) {
        chunks.set(chunk.index, null);
    }

    private void publish(CachedChunk chunk, BitSet pages) {
        long grown = CachedChunk.footprint(pages) - CachedChunk.footprint(chunk.pages());
        if (chunk.pages().isEmpty() && !pages.isEmpty()) {
            space.enter(chunk);
        } else if (pages.isEmpty()) {
            space.leave(chunk);
        }
        chunk.pages(pages);
        space.add(grown);
    }

    /** Protects a chunk from removal until {@link #endStoring}. */
    CachedChunk beginStoring(int index) {
        Lock lock = writeLock(index);
        lock.lock();
        try {
            CachedChunk chunk = chunks.get(index);
            if (chunk == null) {
                chunk = new CachedChunk(pack, index);
                chunk.proven = true;
                chunks.set(index, chunk);
            }
            chunk.storing++;
            return chunk;
        } finally {
            lock.unlock();
        }
    }

    void endStoring(CachedChunk chunk) {
        Lock lock = writeLock(chunk.index);
        lock.lock();
        try {
            chunk.storing--;
        } finally {
            lock.unlock();
        }
    }

    /** Records that all cached pages of a chunk were verified. */
    void proved(int index) {
        proven(index, true);
    }

    /** Records that no chunk counts as verified any more. */
    void doubt() {
        for (int index = 0; index < chunks.length(); index++) {
            proven(index, false);
        }
    }

    private void proven(int index, boolean proven) {
        Lock lock = writeLock(index);
        lock.lock();
        try {
            CachedChunk chunk = chunks.get(index);
            if (chunk != null) {
                chunk.proven = proven;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether all cached chunks are verified. */
    boolean areProven() {
        for (int index = 0; index < chunks.length(); index++) {
            CachedChunk chunk = chunks.get(index);
            if (chunk != null && !chunk.proven) {
                return false;
            }
        }
        return true;
    }
}
