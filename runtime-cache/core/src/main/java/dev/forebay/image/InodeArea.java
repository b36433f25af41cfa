package dev.forebay.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * The inodes in the order of the manifest's node ids, each on the next multiple of {@value
 * Erofs#SLOT_BYTES} bytes. Where an inode begins, in these units, is its number ("nid"), which is
 * also what {@code stat} shows.
 */
final class InodeArea {

    /**
     * Room for the end of a directory behind its inode, in a block that has nothing else. What is
     * longer gets a block of its own.
     */
    static final int MAX_TAIL_BYTES = Erofs.BLOCK_BYTES - Inode.bytes(DirectoryInode.ATTRIBUTES);

    private static final int CHUNK_BITS = 31;
    private static final int CHUNK_INDEXES = 0x20;

    /** Chunks of 8 TiB, the largest there are: hardly a file has more than one. */
    private static final int CHUNK_FORMAT = CHUNK_INDEXES | CHUNK_BITS;

    private static final long CHUNK_BLOCKS = 1L << CHUNK_BITS;
    private static final int CHUNK_INDEX_BYTES = 8;

    private final Area area;

    /**
     * @param from where in the image the area begins
     */
    InodeArea(FileChannel channel, long from) throws IOException {
        area = new Area(channel, from);
        // Number 0 would be taken for "no inode" by those who list a directory.
        area.zeros(Erofs.SLOT_BYTES);
    }

    /**
     * Puts the inode of a file.
     *
     * @param device where its bytes are, 1 being the first device; not used if it is empty
     * @param offset where in the device they begin
     * @return its number
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
        ByteBuffer out = area.room(Inode.bytes(attributes.length) + Long.BYTES * (chunks + 1));
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
     * Leaves room for the inode of a directory, and for its end in the same block.
     *
     * @return its number
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

    /** Fills up the last block, writes out what is buffered, and returns the area's bytes. */
    long finish() throws IOException {
        area.align(Erofs.BLOCK_BYTES);
        area.flush();
        return area.bytes();
    }
}
