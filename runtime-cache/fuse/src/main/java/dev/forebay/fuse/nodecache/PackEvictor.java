package dev.forebay.fuse.nodecache;

import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

/**
 * Gives up what is here of a pack: the record first, then the bytes. Nothing that somebody holds,
 * or may be reading past the pod. Safe for use by many threads.
 */
final class PackEvictor {

    private final PackId pack;
    private final CachedChunks chunks;
    private final Blocks blocks;
    private final Holes holes;
    private final PackHolds holds;
    private final Settlement settlement;
    private final CacheCounters counters;
    private final DamageLog damage;

    PackEvictor(
            PackId pack,
            CachedChunks chunks,
            Blocks blocks,
            Holes holes,
            PackHolds holds,
            Settlement settlement,
            CacheCounters counters,
            DamageLog damage) {
        this.pack = pack;
        this.chunks = chunks;
        this.blocks = blocks;
        this.holes = holes;
        this.holds = holds;
        this.settlement = settlement;
        this.counters = counters;
        this.damage = damage;
    }

    /** Gives up a chunk; the bytes that are free now, or 0 if it is in use. */
    long evict(CachedChunk chunk) throws IOException {
        if (holds.isInUse()) {
            return 0;
        }
        Lock lock = chunks.writeLock(chunk.index);
        if (!lock.tryLock()) {
            return 0;
        }
        try {
            // Two may have chosen it: who comes second must not take what came back since.
            if (chunks.find(chunk.index) != chunk || chunk.storing > 0 || !holds.loseIfUnused()) {
                return 0;
            }
            settlement.beginChange();
            try {
                long freed = CachedChunk.footprint(chunk.pages());
                chunks.record(chunk, ChunkRecord.EMPTY);
                chunks.forget(chunk);
                holes.punch(chunk.index);
                return freed;
            } finally {
                settlement.endChange();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives up the pages of a chunk that no mounted version has, unless the chunk is in use, a
     * version that is not mounted any more holds the pack, or anybody has its file open.
     *
     * @param live those that some of the mounted versions has
     * @param table asked once more for the mounted versions, under the chunk's lock: who was
     *     mounted since then looks for its pages under that lock, too, and afterwards
     * @return the bytes that are free now
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
            settlement.beginChange();
            try {
                return restrict(chunk, live, dead, wrong);
            } finally {
                settlement.endChange();
            }
        } finally {
            lock.unlock();
            damage.found(pack, index, Sizes.blocksOf(wrong));
        }
    }

    /**
     * @param wrong gets the pages that were found wrong
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
