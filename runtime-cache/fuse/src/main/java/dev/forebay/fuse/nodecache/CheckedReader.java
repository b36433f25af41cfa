package dev.forebay.fuse.nodecache;

import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.concurrent.locks.Lock;

/**
 * Reads what is here of a pack and compares it with its checksums; what is wrong is dropped, and so
 * fetched anew by who wants it next. Safe for use by many threads.
 *
 * <p>To compare a few bytes, all of their block has to be read: a read of 4 KiB then costs ten
 * times as much. So parts of blocks are compared only where that was not done since they were
 * stored or could have been harmed by a power failure, or by readers that are strict.
 */
final class CheckedReader {

    /** Which block is said to be damaged when their record is. */
    private static final int ANY_BLOCK = 0;

    private final PackId pack;
    private final CachedChunks chunks;
    private final Blocks blocks;
    private final PackHolds holds;
    private final Settlement settlement;
    private final CacheCounters counters;
    private final DamageLog damage;

    CheckedReader(
            PackId pack,
            CachedChunks chunks,
            Blocks blocks,
            PackHolds holds,
            Settlement settlement,
            CacheCounters counters,
            DamageLog damage) {
        this.pack = pack;
        this.chunks = chunks;
        this.blocks = blocks;
        this.holds = holds;
        this.settlement = settlement;
        this.counters = counters;
        this.damage = damage;
    }

    /**
     * Reads bytes of one chunk.
     *
     * @param wanted the pages that must be here; others of the range are given as whatever the file
     *     has
     * @param target filled between its position and limit, which stay
     * @param strict whether parts of blocks are compared, too
     * @return false if not all are here: what is in the target is worth nothing
     */
    boolean read(long from, BitSet wanted, ByteBuffer target, boolean strict) throws IOException {
        int index = Sizes.chunkOf(from);
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
                // Where one is wrong others may be: who reads is not to meet them one by one.
                BitSet _ = scrub(index, wrong);
            } finally {
                damage.found(pack, index, wrong);
            }
        }
        return readable && damaged < 0;
    }

    /**
     * Compares all that is here of a chunk with its checksums, if that was not done before, and
     * drops what is wrong.
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
        // Another one each time: it may be given up, and come back.
        for (CachedChunk chunk = chunks.find(index);
                chunk != null && !chunk.proven;
                chunk = chunks.find(index)) {
            if (!read) {
                blocks.forget(index);
                read = true;
            }
            int damaged = firstDamagedOf(chunk);
            if (damaged < 0) {
                // What came in since was proven when it did.
                chunks.proved(index);
                return;
            }
            drop(chunk, damaged, wrong);
        }
    }

    /**
     * Compares what is here of a chunk with its checksums, and drops what is wrong.
     *
     * @return the blocks that were dropped
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
            // One that cannot be dropped was found wrong only because it was about to change.
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

    /** The first block of a chunk that is wrong, or -1; under its lock. */
    private int firstDamaged(CachedChunk chunk) throws IOException {
        ChunkRecord record = chunks.recorded(chunk.index);
        return isOf(record, chunk) ? blocks.verify(record, chunk.index) : ANY_BLOCK;
    }

    /** Whether a record is what was recorded: one that is damaged says that nothing is here. */
    private static boolean isOf(ChunkRecord record, CachedChunk chunk) {
        return record.pages().equals(chunk.pages());
    }

    /**
     * Drops a block that was found wrong, if it still is.
     *
     * @param wrong gets what was dropped
     */
    private void drop(CachedChunk chunk, int block, BitSet wrong) throws IOException {
        Lock lock = chunks.writeLock(chunk.index);
        settlement.beginChange();
        lock.lock();
        try {
            if (chunks.find(chunk.index) != chunk) {
                // It was given up meanwhile, and another one may be in its place.
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
            // A record that is not what was recorded says nothing of any block.
            if (known) {
                wrong.set(block);
            } else {
                wrong.or(Sizes.blocksOf(chunk.pages()));
            }
            chunks.record(chunk, known ? record.withoutBlock(block) : ChunkRecord.EMPTY);
        } finally {
            lock.unlock();
            settlement.endChange();
        }
    }
}
