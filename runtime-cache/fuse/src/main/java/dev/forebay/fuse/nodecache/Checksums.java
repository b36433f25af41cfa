package dev.forebay.fuse.nodecache;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.zip.CRC32C;

/** Computes the CRC-32C of blocks. */
final class Checksums {

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(PackUnits.PAGE);

    private Checksums() {}

    /** Returns the checksum of the bytes between a buffer's position and limit, which stay. */
    static int of(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    /**
     * Returns the checksum of a block, with zeros for absent pages.
     *
     * @param block a whole number of pages between position and limit, which stay
     * @param pages the present pages, counted from the block's first
     */
    static int of(ByteBuffer block, BitSet pages) {
        int count = block.remaining() / PackUnits.PAGE;
        if (pages.nextClearBit(0) >= count) {
            return of(block);
        }
        CRC32C crc = new CRC32C();
        for (int page = 0; page < count; page++) {
            crc.update(
                    pages.get(page)
                            ? block.slice(block.position() + page * PackUnits.PAGE, PackUnits.PAGE)
                            : ZEROS.duplicate());
        }
        return (int) crc.getValue();
    }
}
