package dev.forebay.transfer;

import dev.forebay.model.ChunkId;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.CRC32C;

/**
 * Encodes the CRC-32C of each 64 KiB of a body as the value of the {@code Forebay-Crc32c} header.
 * The last piece may be shorter.
 */
public final class BlockChecksums {

    private static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;

    private BlockChecksums() {}

    /** Returns the header's value for {@code bytes}, whose position does not change. */
    public static String encode(ByteBuffer bytes) {
        return Base64.getEncoder().encodeToString(of(bytes));
    }

    /** Returns the header's value for known checksums, one per block. */
    public static String encode(int[] checksums) {
        ByteBuffer encoded = ByteBuffer.allocate(checksums.length * Integer.BYTES);
        encoded.asIntBuffer().put(checksums);
        return Base64.getEncoder().encodeToString(encoded.array());
    }

    /** Returns whether {@code header} is the header's value for {@code bytes}. */
    static boolean match(String header, ByteBuffer bytes) {
        return encode(bytes).equals(header);
    }

    private static byte[] of(ByteBuffer bytes) {
        int blocks = Math.ceilDiv(bytes.remaining(), BLOCK);
        ByteBuffer checksums = ByteBuffer.allocate(blocks * Integer.BYTES);
        CRC32C crc = new CRC32C();
        for (int at = bytes.position(); at < bytes.limit(); at += BLOCK) {
            crc.reset();
            crc.update(bytes.slice(at, Math.min(BLOCK, bytes.limit() - at)));
            checksums.putInt((int) crc.getValue());
        }
        return checksums.array();
    }
}
