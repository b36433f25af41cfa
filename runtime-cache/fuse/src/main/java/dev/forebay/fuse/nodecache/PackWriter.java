package dev.forebay.fuse.nodecache;

import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.linux.DiskFile;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Stores pages of a pack: first the bytes, then the record that covers them. Only one thread at a
 * time may store into a block; otherwise thread-safe.
 */
final class PackWriter {

    private final PackId pack;
    private final Path path;
    private final DiskFile data;
    private final CachedChunks chunks;
    private final Blocks blocks;
    private final Holes holes;
    private final PackHolds holds;
    private final PackConsistency consistency;
    private final CacheCounters counters;
    private final DamageLog damage;

    PackWriter(
            PackId pack,
            Path path,
            DiskFile data,
            CachedChunks chunks,
            Blocks blocks,
            Holes holes,
            PackHolds holds,
            PackConsistency consistency,
            CacheCounters counters,
            DamageLog damage) {
        this.pack = pack;
        this.path = path;
        this.data = data;
        this.chunks = chunks;
        this.blocks = blocks;
        this.holes = holes;
        this.holds = holds;
        this.consistency = consistency;
        this.counters = counters;
        this.damage = damage;
    }

    /**
     * Stores pages of one chunk, in addition to its cached ones.
     *
     * @param from the position of the bytes in the pack, a multiple of 64 KiB
     * @param pages the pages to store; none of them is recorded
     * @param verified the bytes from {@code from} to the end of a block; the position stays
     * @param local the chunk file on this node that the bytes were read from, if any
     */
    void store(long from, BitSet pages, ByteBuffer verified, @Nullable StoredChunk local)
            throws IOException {
        int index = PackUnits.chunkOf(from);
        CachedChunk chunk = chunks.beginStoring(index);
        try {
            consistency.beginChange();
            try {
                write(from, pages, verified, local);
                record(chunk, from, pages, verified);
            } catch (IOException e) {
                giveBack(index, pages);
                throw e;
            } finally {
                consistency.endChange();
            }
        } finally {
            chunks.endStoring(chunk);
        }
    }

    private void write(long from, BitSet pages, ByteBuffer verified, @Nullable StoredChunk local)
            throws IOException {
        int index = PackUnits.chunkOf(from);
        for (int first = pages.nextSetBit(0); first >= 0; ) {
            int end = pages.nextClearBit(first);
            long offset = PackUnits.offset(index, first);
            int at = verified.position() + (int) (offset - from);
            ByteBuffer run = verified.slice(at, (end - first) * PackUnits.PAGE);
            long shared = local == null ? 0 : share(local, index, first, end);
            data.writeBehind(MemorySegment.ofBuffer(run).asSlice(shared), offset + shared);
            first = pages.nextSetBit(end);
        }
    }

    /**
     * Lets the kernel copy pages from a chunk's file. Within one XFS or btrfs that takes no space,
     * because the files share the extents.
     *
     * @return the number of copied bytes, from the first one
     */
    private long share(StoredChunk local, int index, int first, int end) throws IOException {
        long from = (long) first * PackUnits.PAGE;
        long length = (long) (end - first) * PackUnits.PAGE;
        long done = 0;
        try (FileChannel target = FileChannel.open(path, StandardOpenOption.WRITE)) {
            target.position(PackUnits.offset(index, first));
            long bytes = 1;
            while (done < length && bytes > 0) {
                bytes = local.channel().transferTo(from + done, length - done, target);
                done += bytes;
            }
        }
        return done;
    }

    private void record(CachedChunk chunk, long from, BitSet pages, ByteBuffer verified)
            throws IOException {
        BitSet wrong = new BitSet();
        Lock lock = chunks.writeLock(chunk.index);
        lock.lock();
        try {
            ChunkRecord merged = blocks.merge(chunks.recorded(chunk.index), from, pages, verified);
            wrong.or(chunk.pages());
            wrong.andNot(merged.pages());
            if (!wrong.isEmpty()) {
                counters.damagedBlocks.increment();
                holds.lost();
            }
            chunks.record(chunk, merged);
        } finally {
            lock.unlock();
        }
        damage.found(pack, chunk.index, PackUnits.blocksOf(wrong));
    }

    /**
     * Frees bytes that were written and will not be recorded, unless a program may read them
     * directly.
     */
    private void giveBack(int index, BitSet pages) {
        if (holds.isInUse()) {
            return;
        }
        try {
            holes.punch(index, pages);
        } catch (IOException e) {
            // The next start frees them.
            counters.diskErrors.increment();
        }
    }
}
