package dev.forebay.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Writes the inodes in the order of the manifest's node ids, each at the next multiple of {@value
 * Erofs#SLOT_BYTES} bytes. The position of an inode in these units is its number ("nid"), which
 * {@code stat} also shows.
 */
final class InodeArea {

    /**
     * The maximum tail of a directory after its inode, in a block with nothing else. A longer tail
     * gets a block of its own.
     */
    static final int MAX_TAIL_BYTES = Erofs.BLOCK_BYTES - Inode.bytes(DirectoryInode.ATTRIBUTES);

    private static final int CHUNK_BITS = 31;
    private static final int CHUNK_INDEXES = 0x20;

    /** Chunks of 8 TiB, the largest possible, so that almost every file has one. */
    private static final int CHUNK_FORMAT = CHUNK_INDEXES | CHUNK_BITS;

    private static final long CHUNK_BLOCKS = 1L << CHUNK_BITS;
    private static final int CHUNK_INDEX_BYTES = 8;

    private final Area area;

    /**
     * @param from where the area begins in the image
     */
    InodeArea(FileChannel channel, long from) throws IOException {
        area = new Area(channel, from);
        // Programs that list a directory take number 0 for "no inode".
        area.zeros(Erofs.SLOT_BYTES);
    }

    /**
     * Writes the inode of a file.
     *
     * @param device the device with its bytes, 1 for the first one; unused if the file is empty
     * @param offset where the bytes begin in the device
     * @return the inode's number
     */
    long putFile(
            long id,
            long mtimeNanos,
            long size,
            int device,
            long offset,
            int filter,
            int... attributes)
            throws IOException {
        int chunks = Math.toIntExact(Math.ceilDiv(Erofs.blocks(size), CHUNK_BLOCKS));
        ByteBuffer out = area.extend(Inode.bytes(attributes.length) + Long.BYTES * (chunks + 1));
        long number = number();
        new Inode(
                        size == 0 ? Inode.Layout.FLAT_PLAIN : Inode.Layout.CHUNK_BASED,
                        Inode.FILE_MODE,
                        size,
                        size == 0 ? 0 : CHUNK_FORMAT,
                        id,
                        mtimeNanos,
                        1,
                        filter)
                .put(out, attributes);
        area.align(CHUNK_INDEX_BYTES);
        for (int i = 0; i < chunks; i++) {
            out.putShort((short) 0);
            out.putShort((short) device);
            out.putInt((int) (offset / Erofs.BLOCK_BYTES + i * CHUNK_BLOCKS));
        }
        area.align(Erofs.SLOT_BYTES);
        return number;
    }

    /**
     * Reserves space for the inode of a directory, and for its tail in the same block.
     *
     * @return the inode's number
     */
    long reserveDirectory(int tailBytes) throws IOException {
        int bytes = Inode.bytes(DirectoryInode.ATTRIBUTES) + tailBytes;
        int inBlock = (int) (area.bytes() % Erofs.BLOCK_BYTES);
        if (inBlock + bytes > Erofs.BLOCK_BYTES) {
            area.align(Erofs.BLOCK_BYTES);
        }
        long number = number();
        area.zeros(bytes);
        area.align(Erofs.SLOT_BYTES);
        return number;
    }

    private long number() {
        return area.bytes() / Erofs.SLOT_BYTES;
    }

    /**
     * Pads the last block, writes the buffered bytes, and returns the size of the area in bytes.
     */
    long finish() throws IOException {
        area.align(Erofs.BLOCK_BYTES);
        area.flush();
        return area.bytes();
    }
}
