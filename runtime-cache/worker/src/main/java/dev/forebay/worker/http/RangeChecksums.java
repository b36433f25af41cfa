package dev.forebay.worker.http;

import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.model.ChunkId;
import dev.forebay.transfer.BlockChecksums;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.CRC32C;

/** Computes the checksums of a range for the {@code Forebay-Crc32c} header. */
final class RangeChecksums {

    private static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;

    private RangeChecksums() {}

    /**
     * Returns the stored checksums if the range consists of whole blocks. Otherwise computes
     * checksums over bytes that were first verified against the stored ones.
     */
    static String header(StoredChunk chunk, int from, int to) {
        if (from % BLOCK == 0 && (to % BLOCK == 0 || to == chunk.length())) {
            return Base64.getEncoder().encodeToString(chunk.checksums(from, to));
        }
        int[] checksums = new int[Math.ceilDiv(to - from, BLOCK)];
        ByteBuffer piece = ByteBuffer.allocate(Math.min(BLOCK, to - from));
        CRC32C crc = new CRC32C();
        for (int i = 0; i < checksums.length; i++) {
            int at = from + i * BLOCK;
            piece.clear().limit(Math.min(BLOCK, to - at));
            chunk.readVerified(at, piece);
            crc.reset();
            crc.update(piece.flip());
            checksums[i] = (int) crc.getValue();
        }
        return BlockChecksums.encode(checksums);
    }
}
