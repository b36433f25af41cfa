package dev.forebay.fuse.nodecache;

import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

/**
 * Removes cached pages of a pack: first the record, then the bytes. It removes nothing that is
 * held, or that a program may be reading directly. Thread-safe.
 */
final class PackEvictor {

    private final PackId pack;
    private final CachedChunks chunks;
    private final Blocks blocks;
    private final Holes holes;
    private final PackHolds holds;
    private final PackConsistency consistency;
    private final CacheCounters counters;
    private final DamageLog damage;

    PackEvictor(
            PackId pack,
            CachedChunks chunks,
            Blocks blocks,
            Holes holes,
            PackHolds holds,
            PackConsistency consistency,
            CacheCounters counters,
            DamageLog damage) {
        this.pack = pack;
        this.chunks = chunks;
        this.blocks = blocks;
        this.holes = holes;
        this.holds = holds;
        this.consistency = consistency;
        this.counters = counters;
        this.damage = damage;
    }

    /** Evicts a chunk; returns the number of freed bytes, or 0 if it is in use. */
    long evict(CachedChunk chunk) throws IOException {
        if (holds.isInUse()) {
            return 0;
        }
        Lock lock = chunks.writeLock(chunk.index);
        if (!lock.tryLock()) {
            return 0;
        }
        try {
            // Two threads may have chosen it: the second must not evict what was cached again
            // since.
            if (chunks.find(chunk.index) != chunk || chunk.storing > 0 || !holds.loseIfUnused()) {
                return 0;
            }
            consistency.beginChange();
            try {
                long freed = CachedChunk.footprint(chunk.pages());
                chunks.record(chunk, ChunkRecord.EMPTY);
                chunks.forget(chunk);
                holes.punch(chunk.index);
                return freed;
            } finally {
                consistency.endChange();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes the pages of a chunk that no mounted version has. Does nothing if the chunk is in
     * use, a version that is not mounted holds the pack, or another process has its file open.
     *
     * @param live the pages that any of the mounted versions has
     * @param table returns the mounted versions; called again under the chunk's lock. A version
     *     that is mounted later looks for its pages under that lock too, after this call.
     * @return the number of freed bytes
     */
    long restrict(int index, BitSet live, Set<Digest> mounted, Supplier<Set<Digest>> table)
            throws IOException {
        CachedChunk chunk = chunks.find(index);
        if (chunk == null) {
            return 0;
        }
        BitSet wrong = new BitSet();
        Lock lock = chunks.writeLock(index);
        lock.lock();
        try {
            BitSet dead = (BitSet) chunk.pages().clone();
            dead.andNot(live);
            if (dead.isEmpty()
                    || chunk.storing > 0
                    || !holds.areOnlyOf(mounted)
                    || holds.isOpen()
                    || !table.get().equals(mounted)) {
                return 0;
            }
            consistency.beginChange();
            try {
                return restrict(chunk, live, dead, wrong);
            } finally {
                consistency.endChange();
            }
        } finally {
            lock.unlock();
            damage.found(pack, index, PackUnits.blocksOf(wrong));
        }
    }

    /**
     * @param wrong receives the damaged pages
     */
    private long restrict(CachedChunk chunk, BitSet live, BitSet dead, BitSet wrong)
            throws IOException {
        BitSet kept = (BitSet) chunk.pages().clone();
        kept.and(live);
        long before = CachedChunk.footprint(chunk.pages());
        ChunkRecord restricted = blocks.restrict(chunks.recorded(chunk.index), chunk.index, live);
        wrong.or(kept);
        wrong.andNot(restricted.pages());
        if (!wrong.isEmpty()) {
            counters.damagedBlocks.increment();
            holds.lost();
        }
        chunks.record(chunk, restricted);
        if (chunk.pages().isEmpty()) {
            chunks.forget(chunk);
        }
        holes.punch(chunk.index, dead);
        return before - CachedChunk.footprint(chunk.pages());
    }
}
