package dev.forebay.image;

import java.nio.ByteBuffer;

/**
 * A directory whose inode has a place, but is not written yet.
 *
 * @param number of the inode
 * @param shape the size of its names
 */
record DirectoryInode(long id, long number, long mtimeNanos, DirectoryBlocks.Shape shape) {

    /** Every directory has two: its version and its manifest. */
    static final int ATTRIBUTES = 2;

    /** How many bytes {@link #spill} writes. */
    static final int SPILLED_BYTES = 6 * Long.BYTES;

    void spill(ByteBuffer out) {
        out.putLong(id);
        out.putLong(number);
        out.putLong(mtimeNanos);
        out.putLong(shape.fullBlocks());
        out.putLong(shape.tailBytes());
        out.putLong(shape.bytes());
    }

    static DirectoryInode read(ByteBuffer in) {
        return new DirectoryInode(
                in.getLong(),
                in.getLong(),
                in.getLong(),
                new DirectoryBlocks.Shape(in.getLong(), (int) in.getLong(), in.getLong()));
    }

    /**
     * Returns the inode for the image.
     *
     * @param firstBlock where its full blocks begin
     * @param links the link count: 2 plus the number of subdirectories
     */
    Inode inode(long firstBlock, int links, int filter) {
        return new Inode(
                shape.tailBytes() > 0 ? Inode.Layout.FLAT_INLINE : Inode.Layout.FLAT_PLAIN,
                Inode.DIRECTORY_MODE,
                shape.bytes(),
                (int) firstBlock,
                id,
                mtimeNanos,
                links,
                filter);
    }
}
