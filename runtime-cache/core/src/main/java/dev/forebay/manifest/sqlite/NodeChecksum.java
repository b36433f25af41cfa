package dev.forebay.manifest.sqlite;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Computes the CRC-32C of a row of the {@code node} table. A process verifies the whole file only
 * before its first use. These checksums detect later damage on disk.
 */
final class NodeChecksum {

    private static final int NUMBERS = 6 * Long.BYTES;
    private static final int TEXTS = 4 * Integer.BYTES;

    private NodeChecksum() {}

    /**
     * @param size in bytes; -1 for a directory
     * @param pack the pack's ordinal; it and the offset count only for nodes with bytes
     */
    static int of(
            long id,
            long parent,
            String name,
            long mtimeNanos,
            long size,
            @Nullable String key,
            @Nullable String etag,
            @Nullable String versionId,
            long pack,
            long packOffset) {
        byte @Nullable [][] texts = {bytes(name), bytes(key), bytes(etag), bytes(versionId)};
        int length = NUMBERS + TEXTS;
        for (byte[] text : texts) {
            length += text == null ? 0 : text.length;
        }
        ByteBuffer row = ByteBuffer.allocate(length);
        row.putLong(id).putLong(parent).putLong(mtimeNanos).putLong(size);
        if (size > 0) {
            row.putLong(pack).putLong(packOffset);
        }
        for (byte[] text : texts) {
            row.putInt(text == null ? -1 : text.length);
            if (text != null) {
                row.put(text);
            }
        }
        CRC32C crc = new CRC32C();
        crc.update(row.flip());
        return (int) crc.getValue();
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }
}
