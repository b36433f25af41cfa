package dev.forebay.fuse.nodecache;

import java.io.IOException;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * What is here of a pack, by chunk: in memory, in its {@link PackMap}, and in the cache's {@link
 * Space}.
 *
 * <p>Each chunk has a lock, which it may share with others. Who reads a chunk's pages from the file
 * shares it, so that they are not given up meanwhile; who changes its record has it alone. Bytes
 * are written without it, into pages that are not recorded yet. Safe for use by many threads.
 */
final class CachedChunks {

    private static final int MAX_LOCKS = 64;

    private final PackFile pack;
    private final PackMap map;
    private final Space space;
    private final AtomicReferenceArray<@Nullable CachedChunk> chunks;
    private final ReadWriteLock[] locks;

    CachedChunks(PackFile pack, PackMap map, Space space) {
        this.pack = pack;
        this.map = map;
        this.space = space;
        this.chunks = new AtomicReferenceArray<>(Sizes.chunks(map.packBytes()));
        this.locks = new ReadWriteLock[Math.min(chunks.length(), MAX_LOCKS)];
        for (int i = 0; i < locks.length; i++) {
            locks[i] = new ReentrantReadWriteLock();
        }
    }

    /** How many chunks the pack has. */
    int count() {
        return chunks.length();
    }

    /** What is known of a chunk; null if nothing was ever here of it. */
    @Nullable CachedChunk find(int index) {
        return chunks.get(index);
    }

    Lock readLock(int index) {
        return locks[index % locks.length].readLock();
    }

    Lock writeLock(int index) {
        return locks[index % locks.length].writeLock();
    }

    /** Whether nothing is here. */
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
        return chunk == null || chunk.slot == Space.NO_SLOT;
    }

    /** The pages of a chunk that are here; nobody changes them. */
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

    /** Which of the wanted pages of a chunk are not here. */
    BitSet missing(int index, BitSet wanted) {
        BitSet missing = (BitSet) wanted.clone();
        missing.andNot(pages(index));
        return missing;
    }

    /** Whether pages of a chunk are here besides these. */
    boolean hasOthers(int index, BitSet these) {
        BitSet others = (BitSet) pages(index).clone();
        others.andNot(these);
        return !others.isEmpty();
    }

    /** How many bytes of a chunk are here. */
    long bytesHere(int index) {
        return (long) pages(index).cardinality() * Sizes.PAGE;
    }

    /** Says that a chunk was used again. */
    void touch(int index) {
        CachedChunk chunk = chunks.get(index);
        if (chunk != null) {
            space.touch(chunk);
        }
    }

    /** What is recorded of a chunk; under its lock. */
    ChunkRecord recorded(int index) throws IOException {
        return map.read(index);
    }

    /** Records what is here of a chunk from now on; under its lock, alone. */
    void record(CachedChunk chunk, ChunkRecord now) throws IOException {
        map.write(chunk.index, now);
        publish(chunk, now.pages());
    }

    /** Enters what an earlier process has recorded of a chunk. Before anybody uses the pack. */
    void adopt(int index, BitSet pages, boolean proven) {
        CachedChunk chunk = new CachedChunk(pack, index);
        chunk.proven = proven;
        chunks.set(index, chunk);
        publish(chunk, pages);
    }

    /** Forgets what was adopted, so that nobody finds room in it: the pack cannot be used. */
    void abandon() {
        for (int index = 0; index < chunks.length(); index++) {
            CachedChunk chunk = chunks.get(index);
            if (chunk != null) {
                publish(chunk, new BitSet(0));
                forget(chunk);
            }
        }
    }

    /** Forgets a chunk of which nothing is here; under its lock, alone, and not while storing. */
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

    /** Keeps a chunk from being given up until {@link #endStoring}. */
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

    /** Says that all that is here of a chunk has its checksums. */
    void proved(int index) {
        proven(index, true);
    }

    /** Says that nothing is proven any more. */
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

    /** Whether all that is here is proven. */
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
