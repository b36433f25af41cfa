package dev.forebay.manifest;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The CRC-32Cs of a row of the {@code chunk} table: of the checksums of its objects' rows, by
 * offset, and of the row itself. For one thread at a time.
 */
final class ChunkChecksum {

    private static final int ROW_BYTES = 2 * Long.BYTES + 4 * Integer.BYTES;

    private final CRC32C objects = new CRC32C();

    /** Adds the checksum of an object's row. */
    void add(int crc) {
        objects.update(ByteBuffer.allocate(Integer.BYTES).putInt(crc).flip());
    }

    /** Of all that were added. */
    int ofObjects() {
        return (int) objects.getValue();
    }

    /** Of the row that says so. */
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
