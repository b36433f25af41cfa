package dev.forebay.image;

import java.nio.ByteBuffer;

/**
 * A directory whose inode has its place but is not written yet.
 *
 * @param number of the inode
 * @param shape of its names
 */
record DirectoryInode(long id, long number, long mtimeNanos, DirectoryBlocks.Shape shape) {

    /** What every directory has: the version and the manifest that it belongs to. */
    static final int ATTRIBUTES = 2;

    /** How many bytes {@link #spill} puts. */
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
     * The inode as it is in the image.
     *
     * @param firstBlock where its full blocks begin
     * @param links how many directories name it
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
