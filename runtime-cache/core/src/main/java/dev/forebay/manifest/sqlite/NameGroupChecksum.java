package dev.forebay.manifest.sqlite;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Computes the CRC-32C of a group of names of a directory: of the names with their ids, in order,
 * and of the row in {@code name_group}. Not thread-safe.
 */
final class NameGroupChecksum {

    private final CRC32C crc = new CRC32C();
    private int count;

    /** Adds the next name. */
    void add(long id, String name) {
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(id).flip());
        text(name);
        count++;
    }

    /** Returns how many names were added. */
    int count() {
        return count;
    }

    /**
     * Returns the checksum of the group. Add no name afterwards.
     *
     * @param first the name at which the group begins; empty for a directory's first group
     * @param next the name at which the next group begins; null if this is the last one
     */
    int ofGroup(long parent, String first, @Nullable String next) {
        crc.update(ByteBuffer.allocate(Long.BYTES + 1).putLong(parent).put(bit(next)).flip());
        text(first);
        if (next != null) {
            text(next);
        }
        return (int) crc.getValue();
    }

    private static byte bit(@Nullable String next) {
        return (byte) (next == null ? 0 : 1);
    }

    private void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        crc.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
        crc.update(bytes);
    }
}
