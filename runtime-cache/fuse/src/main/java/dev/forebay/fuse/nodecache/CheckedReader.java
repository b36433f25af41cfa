package dev.forebay.fuse.nodecache;

import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.concurrent.locks.Lock;

/**
 * Reads cached bytes of a pack and verifies their checksums. Damaged blocks are dropped, so the
 * next reader fetches them again. Thread-safe.
 *
 * <p>To verify a few bytes, their whole block must be read, which makes a read of 4 KiB ten times
 * as expensive. Partly read blocks are therefore verified in two cases only. Either the reader is
 * strict, or a power failure may have damaged the chunk since it was last written or verified.
 */
final class CheckedReader {

    /** The block to report as damaged if the record itself is damaged. */
    private static final int ANY_BLOCK = 0;

    private final PackId pack;
    private final CachedChunks chunks;
    private final Blocks blocks;
    private final PackHolds holds;
    private final PackConsistency consistency;
    private final CacheCounters counters;
    private final DamageLog damage;

    CheckedReader(
            PackId pack,
            CachedChunks chunks,
            Blocks blocks,
            PackHolds holds,
            PackConsistency consistency,
            CacheCounters counters,
            DamageLog damage) {
        this.pack = pack;
        this.chunks = chunks;
        this.blocks = blocks;
        this.holds = holds;
        this.consistency = consistency;
        this.counters = counters;
        this.damage = damage;
    }

    /**
     * Reads bytes of one chunk.
     *
     * @param wanted the pages that must be cached; other bytes of the range are undefined
     * @param target filled between its position and limit, which stay
     * @param strict whether partly read blocks are verified too
     * @return false if not all pages are cached and intact; the target's content is then undefined
     */
    boolean read(long from, BitSet wanted, ByteBuffer target, boolean strict) throws IOException {
        int index = PackUnits.chunkOf(from);
        CachedChunk chunk = chunks.find(index);
        if (chunk == null) {
            return false;
        }
        boolean readable;
        int damaged = -1;
        Lock lock = chunks.readLock(index);
        lock.lock();
        try {
            if (!chunk.holds(wanted)) {
                return false;
            }
            boolean parts = strict || !chunk.proven;
            readable = blocks.isRead(target, from);
            if (!readable) {
                damaged = firstDamaged(chunk);
            } else if (parts || blocks.hasWhole(from, from + target.remaining())) {
                ChunkRecord record = chunks.recorded(index);
                damaged =
                        isOf(record, chunk)
                                ? blocks.compare(record, from, target, parts)
                                : ANY_BLOCK;
            }
        } finally {
            lock.unlock();
        }
        if (damaged >= 0) {
            BitSet wrong = new BitSet();
            try {
                drop(chunk, damaged, wrong);
                // Damage is often not isolated: scrub the chunk, so that readers do not find the
                // blocks one by one.
                BitSet _ = scrub(index, wrong);
            } finally {
                damage.found(pack, index, wrong);
            }
        }
        return readable && damaged < 0;
    }

    /**
     * Verifies all cached pages of a chunk unless that was done before, and drops damaged blocks.
     */
    void prove(int index) throws IOException {
        BitSet wrong = new BitSet();
        try {
            prove(index, wrong);
        } finally {
            damage.found(pack, index, wrong);
        }
    }

    private void prove(int index, BitSet wrong) throws IOException {
        boolean read = false;
        // Look the chunk up each time: it may be evicted and cached again.
        for (CachedChunk chunk = chunks.find(index);
                chunk != null && !chunk.proven;
                chunk = chunks.find(index)) {
            if (!read) {
                blocks.forget(index);
                read = true;
            }
            int damaged = firstDamagedOf(chunk);
            if (damaged < 0) {
                // Blocks that were stored since then were verified when they were stored.
                chunks.proved(index);
                return;
            }
            drop(chunk, damaged, wrong);
        }
    }

    /**
     * Verifies the cached pages of a chunk, and drops damaged blocks.
     *
     * @return the dropped blocks
     */
    BitSet scrub(int index) throws IOException {
        BitSet wrong = new BitSet();
        try {
            return scrub(index, wrong);
        } finally {
            damage.found(pack, index, wrong);
        }
    }

    private BitSet scrub(int index, BitSet wrong) throws IOException {
        BitSet dropped = new BitSet();
        CachedChunk chunk = chunks.find(index);
        blocks.forget(index);
        while (chunk != null) {
            int damaged = firstDamagedOf(chunk);
            // A block that cannot be dropped only looked damaged because it was being changed.
            if (damaged < 0 || dropped.get(damaged)) {
                break;
            }
            drop(chunk, damaged, wrong);
            dropped.set(damaged);
        }
        return dropped;
    }

    private int firstDamagedOf(CachedChunk chunk) throws IOException {
        Lock lock = chunks.readLock(chunk.index);
        lock.lock();
        try {
            return firstDamaged(chunk);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the first damaged block of a chunk, or -1. The caller holds its lock. */
    private int firstDamaged(CachedChunk chunk) throws IOException {
        ChunkRecord record = chunks.recorded(chunk.index);
        return isOf(record, chunk) ? blocks.verify(record, chunk.index) : ANY_BLOCK;
    }

    /** Returns whether a record is intact: a damaged one reads as empty. */
    private static boolean isOf(ChunkRecord record, CachedChunk chunk) {
        return record.pages().equals(chunk.pages());
    }

    /**
     * Drops a damaged block unless it is intact by now.
     *
     * @param wrong receives the dropped blocks
     */
    private void drop(CachedChunk chunk, int block, BitSet wrong) throws IOException {
        Lock lock = chunks.writeLock(chunk.index);
        consistency.beginChange();
        lock.lock();
        try {
            if (chunks.find(chunk.index) != chunk) {
                // It was evicted meanwhile, and another chunk object may be in its place.
                return;
            }
            ChunkRecord record = chunks.recorded(chunk.index);
            boolean known = isOf(record, chunk);
            if (known
                    && (record.pagesOfBlock(block).isEmpty()
                            || blocks.isIntact(record, chunk.index, block))) {
                return;
            }
            counters.damagedBlocks.increment();
            holds.lost();
            // A damaged record says nothing about any block.
            if (known) {
                wrong.set(block);
            } else {
                wrong.or(PackUnits.blocksOf(chunk.pages()));
            }
            chunks.record(chunk, known ? record.withoutBlock(block) : ChunkRecord.EMPTY);
        } finally {
            lock.unlock();
            consistency.endChange();
        }
    }
}
