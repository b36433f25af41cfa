package dev.forebay.manifest.sqlite;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Computes the two CRC-32Cs of a row of the {@code chunk} table: one of the checksums of its
 * objects' rows, by offset, and one of the row itself. Not thread-safe.
 */
final class ChunkChecksum {

    private static final int ROW_BYTES = 2 * Long.BYTES + 4 * Integer.BYTES;

    private final CRC32C objects = new CRC32C();

    /** Adds the checksum of an object's row. */
    void add(int crc) {
        objects.update(ByteBuffer.allocate(Integer.BYTES).putInt(crc).flip());
    }

    /** Returns the checksum of all objects added. */
    int ofObjects() {
        return (int) objects.getValue();
    }

    /** Returns the checksum of the chunk's row, which includes {@link #ofObjects}. */
    int ofRow(long ordinal, int pack, int index, int length, long liveBytes) {
        return ofRow(ordinal, pack, index, length, liveBytes, ofObjects());
    }

    static int ofRow(
            long ordinal, int pack, int index, int length, long liveBytes, int objectsCrc) {
        CRC32C row = new CRC32C();
        row.update(
                ByteBuffer.allocate(ROW_BYTES)
                        .putLong(ordinal)
                        .putLong(liveBytes)
                        .putInt(pack)
                        .putInt(index)
                        .putInt(length)
                        .putInt(objectsCrc)
                        .flip());
        return (int) row.getValue();
    }
}
