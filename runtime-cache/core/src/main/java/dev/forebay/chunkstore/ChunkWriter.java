package dev.forebay.chunkstore;

import dev.forebay.chunkstore.file.ChunkFooter;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.linux.DiskFile;
import dev.forebay.model.ChunkId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Writes a chunk file from new bytes. Fills their gaps from the previous file of the chunk.
 *
 * <p>Copies old bytes only if their checksum is right: a new checksum over damaged bytes would hide
 * the damage for ever.
 */
final class ChunkWriter implements AutoCloseable {

    private static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;
    private static final int PAGE = ChunkId.ALIGNMENT_BYTES;
    private static final int CRC_OF_ZEROS = ChunkFooter.crc(ByteBuffer.allocate(BLOCK));

    private final ByteBuffer data;
    private final ValidBlocks valid;
    private final @Nullable StoredChunk before;
    private final ByteBuffer mixed = StoredChunk.SCRATCH.take();
    private final ByteBuffer old = StoredChunk.SCRATCH.take();
    private final BitSet result = new BitSet();
    private int damagedBlocks;

    ChunkWriter(ByteBuffer data, ValidBlocks valid, @Nullable StoredChunk before) {
        this.data = data;
        this.valid = valid;
        this.before = before;
    }

    /**
     * Writes the file, which does not exist yet, and returns its footer. Asks the kernel not to
     * keep the pages: a waiting reader reads them at once, and other readers may never need them.
     */
    ChunkFooter write(Path file, ChunkId id) throws IOException {
        int length = valid.chunkBytes();
        int[] crcs = new int[ChunkFooter.checksums(length)];
        try (DiskFile out = DiskFile.create(file)) {
            int written = 0;
            for (int block = 0; block < crcs.length; block++) {
                int from = block * BLOCK;
                int to = Math.min(from + BLOCK, length);
                if (valid.holds(from, to)) {
                    result.set(from / PAGE, (to + PAGE - 1) / PAGE);
                    crcs[block] = ChunkFooter.crc(data.slice(data.position() + from, to - from));
                } else {
                    writeNew(out, written, from);
                    written = to;
                    crcs[block] =
                            isEmpty(from, to)
                                    ? crcOfZeros(to - from)
                                    : writeMixed(out, block, from, to);
                }
            }
            writeNew(out, written, length);
            ChunkFooter footer = new ChunkFooter(id, ValidBlocks.of(length, result), crcs);
            out.writeBehind(MemorySegment.ofBuffer(footer.encode()), length);
            return footer;
        }
    }

    private void writeNew(DiskFile out, int from, int to) throws IOException {
        if (from < to) {
            out.writeBehind(
                    MemorySegment.ofBuffer(data.slice(data.position() + from, to - from)), from);
        }
    }

    /**
     * Returns whether no byte of a block is known. Nearly all blocks are empty when the first piece
     * of a chunk is stored for a waiting reader.
     */
    private boolean isEmpty(int from, int to) {
        return !valid.holdsAny(from, to) && (before == null || !before.valid().holdsAny(from, to));
    }

    /** Returns the checksum of an empty block, which stays a hole and reads as zeros. */
    private static int crcOfZeros(int bytes) {
        return bytes == BLOCK ? CRC_OF_ZEROS : ChunkFooter.crc(ByteBuffer.allocate(bytes));
    }

    private int writeMixed(DiskFile out, int block, int from, int to) throws IOException {
        mix(block, from, to);
        if (result.nextSetBit(from / PAGE) >= 0) {
            out.writeBehind(MemorySegment.ofBuffer(mixed), from);
        }
        return ChunkFooter.crc(mixed.duplicate());
    }

    /** Returns how many 64 KiB blocks of the previous file could not be copied. */
    int damagedBlocks() {
        return damagedBlocks;
    }

    private void mix(int block, int from, int to) {
        StoredChunk source = before != null && readOld(before, block, from, to) ? before : null;
        mixed.clear();
        for (int at = from; at < to; at += PAGE) {
            int end = Math.min(at + PAGE, to);
            if (valid.holds(at, end)) {
                mixed.put(data.slice(data.position() + at, end - at));
                result.set(at / PAGE);
            } else if (source != null && source.holds(at, end)) {
                mixed.put(old.slice(at - from, end - at));
                result.set(at / PAGE);
            } else {
                mixed.put(new byte[end - at]);
            }
        }
        mixed.flip();
    }

    private boolean readOld(StoredChunk source, int block, int from, int to) {
        if (!source.valid().holdsAny(from, to)) {
            return false;
        }
        try {
            source.readBlock(block, old);
            return true;
        } catch (IOException e) {
            damagedBlocks++;
            return false;
        }
    }

    @Override
    public void close() {
        StoredChunk.SCRATCH.give(mixed);
        StoredChunk.SCRATCH.give(old);
    }
}
