package dev.forebay.chunkstore;

import dev.forebay.model.ChunkId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Writes a chunk file from new bytes and, where they have none, those of the file before.
 *
 * <p>Old bytes are taken over only if their checksum is right: a new checksum over damaged bytes
 * would hide the damage for ever.
 */
final class ChunkWriter {

    private static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;
    private static final int PAGE = ChunkId.ALIGNMENT_BYTES;

    private final ByteBuffer data;
    private final ValidBlocks valid;
    private final @Nullable StoredChunk before;
    private final ByteBuffer mixed = ByteBuffer.allocateDirect(BLOCK);
    private final ByteBuffer old = ByteBuffer.allocateDirect(BLOCK);
    private final BitSet result = new BitSet();
    private int damagedBlocks;

    ChunkWriter(ByteBuffer data, ValidBlocks valid, @Nullable StoredChunk before) {
        this.data = data;
        this.valid = valid;
        this.before = before;
    }

    /** Writes the file, which does not exist yet, and returns what it says of itself. */
    ChunkFooter write(Path file, ChunkId id) throws IOException {
        int length = valid.chunkBytes();
        int[] crcs = new int[ChunkFooter.checksums(length)];
        try (FileChannel out =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int block = 0; block < crcs.length; block++) {
                int from = block * BLOCK;
                int to = Math.min(from + BLOCK, length);
                ByteBuffer bytes = valid.holds(from, to) ? take(from, to) : mix(block, from, to);
                crcs[block] = ChunkFooter.crc(bytes.duplicate());
                if (result.nextSetBit(from / PAGE) >= 0) {
                    writeFully(out, from, bytes);
                }
            }
            ChunkFooter footer = new ChunkFooter(id, ValidBlocks.of(length, result), crcs);
            writeFully(out, length, footer.encode());
            return footer;
        }
    }

    /** How many 64 KiB blocks of the file before could not be taken over. */
    int damagedBlocks() {
        return damagedBlocks;
    }

    private ByteBuffer take(int from, int to) {
        result.set(from / PAGE, (to + PAGE - 1) / PAGE);
        return data.slice(data.position() + from, to - from);
    }

    private ByteBuffer mix(int block, int from, int to) {
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
        return mixed.flip();
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

    private static void writeFully(FileChannel out, long position, ByteBuffer bytes)
            throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += out.write(bytes, at);
        }
    }
}
