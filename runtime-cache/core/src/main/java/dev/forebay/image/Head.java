package dev.forebay.image;

import dev.forebay.manifest.Pack;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The beginning of the image: the superblock and the device table. Its size depends only on the
 * number of packs.
 */
record Head(ImageName name, List<Pack> packs) {

    private static final int MAGIC = 0xE0F5E1E2;
    private static final int SUPERBLOCK_AT = 1024;
    private static final int SUPERBLOCK_BYTES = 128;
    private static final int CHECKSUM_AT = SUPERBLOCK_AT + 4;

    private static final int DEVICE_BYTES = 128;
    private static final int DEVICE_TAG_BYTES = 64;
    private static final int DEVICES_AT = SUPERBLOCK_AT + SUPERBLOCK_BYTES;

    // Compatible features, which an older kernel may ignore.
    private static final int CHECKSUM = 0x1;
    private static final int MTIME = 0x2;
    private static final int ATTRIBUTE_FILTER = 0x4;

    // Incompatible features: a kernel that does not support them must refuse the image.
    private static final int CHUNKED_FILES = 0x4;
    private static final int DEVICE_TABLE = 0x8;

    /**
     * @throws dev.forebay.model.ForebayException with {@code TOO_LARGE} if the format cannot
     *     address the packs
     */
    Head {
        if (packs.size() > Erofs.MAX_DEVICES) {
            throw Erofs.tooLarge(packs.size() + " packs");
        }
        for (Pack pack : packs) {
            if (Erofs.blocks(pack.bytes()) > Erofs.MAX_BLOCKS) {
                throw Erofs.tooLarge("pack %s of %d bytes".formatted(pack.id(), pack.bytes()));
            }
        }
    }

    /** Returns the size of the head in blocks. */
    long blocks() {
        return Erofs.blocks(DEVICES_AT + (long) DEVICE_BYTES * packs.size());
    }

    /**
     * Writes the head.
     *
     * @param nodes the number of inodes
     * @param rootNumber the number of the root's inode
     * @param attributesAt the block where the area of attributes begins
     * @param blocks the size of the whole image in blocks
     */
    void write(FileChannel image, long nodes, long rootNumber, long attributesAt, long blocks)
            throws IOException {
        ByteBuffer head =
                ByteBuffer.allocate(Math.toIntExact(blocks() * Erofs.BLOCK_BYTES))
                        .order(ByteOrder.LITTLE_ENDIAN);
        head.position(SUPERBLOCK_AT);
        head.putInt(MAGIC);
        head.putInt(0);
        head.putInt(CHECKSUM | MTIME | ATTRIBUTE_FILTER);
        head.put((byte) Erofs.BLOCK_BITS);
        head.put((byte) 0);
        head.putShort((short) rootNumber);
        head.putLong(nodes);
        // Epoch and nanoseconds, which only inodes of the compact form use.
        head.putLong(0);
        head.putInt(0);
        head.putInt((int) blocks);
        head.putInt((int) blocks());
        head.putInt((int) attributesAt);
        head.put(name.uuid());
        head.put(name.label());
        head.putInt(CHUNKED_FILES | (packs.isEmpty() ? 0 : DEVICE_TABLE));
        head.putShort((short) 0);
        head.putShort((short) packs.size());
        head.putShort((short) (DEVICES_AT / DEVICE_BYTES));
        head.position(DEVICES_AT);
        packs.forEach(pack -> putDevice(head, pack));
        head.putInt(CHECKSUM_AT, checksum(head));
        head.clear();
        for (long at = 0; head.hasRemaining(); ) {
            at += image.write(head, at);
        }
    }

    private static void putDevice(ByteBuffer head, Pack pack) {
        int end = head.position() + DEVICE_BYTES;
        byte[] tag = pack.id().toString().getBytes(StandardCharsets.US_ASCII);
        head.put(tag, 0, DEVICE_TAG_BYTES);
        head.putInt((int) Erofs.blocks(pack.bytes()));
        head.position(end);
    }

    /**
     * Computes CRC-32C from the superblock to the end of its block, without the final inversion.
     */
    private static int checksum(ByteBuffer head) {
        CRC32C crc = new CRC32C();
        crc.update(head.duplicate().position(SUPERBLOCK_AT).limit(Erofs.BLOCK_BYTES));
        return ~(int) crc.getValue();
    }
}
