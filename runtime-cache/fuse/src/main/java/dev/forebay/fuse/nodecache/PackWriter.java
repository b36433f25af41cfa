package dev.forebay.fuse.nodecache;

import dev.forebay.chunkstore.StoredChunk;
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
 * Stores pages of a pack: the bytes first, then the record that vouches for them. Who stores must
 * be the only one to store into these blocks; but for that it is safe for use by many threads.
 */
final class PackWriter {

    private final PackId pack;
    private final Path path;
    private final DiskFile data;
    private final CachedChunks chunks;
    private final Blocks blocks;
    private final Holes holes;
    private final PackHolds holds;
    private final Settlement settlement;
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
            Settlement settlement,
            CacheCounters counters,
            DamageLog damage) {
        this.pack = pack;
        this.path = path;
        this.data = data;
        this.chunks = chunks;
        this.blocks = blocks;
        this.holes = holes;
        this.holds = holds;
        this.settlement = settlement;
        this.counters = counters;
        this.damage = damage;
    }

    /**
     * Stores pages of one chunk, beside those it has.
     *
     * @param from of the bytes, a multiple of 64 KiB
     * @param pages which of them to take; none that is recorded
     * @param verified the bytes from {@code from} to the end of a block; the position stays
     * @param local the file they were read from, if it is a chunk's on this node
     */
    void store(long from, BitSet pages, ByteBuffer verified, @Nullable StoredChunk local)
            throws IOException {
        int index = Sizes.chunkOf(from);
        CachedChunk chunk = chunks.beginStoring(index);
        try {
            settlement.beginChange();
            try {
                write(from, pages, verified, local);
                record(chunk, from, pages, verified);
            } catch (IOException e) {
                giveBack(index, pages);
                throw e;
            } finally {
                settlement.endChange();
            }
        } finally {
            chunks.endStoring(chunk);
        }
    }

    private void write(long from, BitSet pages, ByteBuffer verified, @Nullable StoredChunk local)
            throws IOException {
        int index = Sizes.chunkOf(from);
        for (int first = pages.nextSetBit(0); first >= 0; ) {
            int end = pages.nextClearBit(first);
            long offset = Sizes.offset(index, first);
            int at = verified.position() + (int) (offset - from);
            ByteBuffer run = verified.slice(at, (end - first) * Sizes.PAGE);
            long shared = local == null ? 0 : share(local, index, first, end);
            data.writeBehind(MemorySegment.ofBuffer(run).asSlice(shared), offset + shared);
            first = pages.nextSetBit(end);
        }
    }

    /**
     * Lets the kernel copy pages from a chunk's file. Between files of one XFS or btrfs that takes
     * no space: they share the extents.
     *
     * @return how many bytes were copied, the first ones
     */
    private long share(StoredChunk local, int index, int first, int end) throws IOException {
        long from = (long) first * Sizes.PAGE;
        long length = (long) (end - first) * Sizes.PAGE;
        long done = 0;
        try (FileChannel target = FileChannel.open(path, StandardOpenOption.WRITE)) {
            target.position(Sizes.offset(index, first));
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
        damage.found(pack, chunk.index, Sizes.blocksOf(wrong));
    }

    /**
     * Frees what was written and will not be recorded, unless somebody may read it past the pod.
     */
    private void giveBack(int index, BitSet pages) {
        if (holds.isInUse()) {
            return;
        }
        try {
            holes.punch(index, pages);
        } catch (IOException e) {
            // The next start does it.
            counters.diskErrors.increment();
        }
    }
}
