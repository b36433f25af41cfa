package dev.forebay.image;

import java.nio.ByteBuffer;

/**
 * Writes inodes in the extended form (64 bytes, nanoseconds, 64-bit sizes), with the references to
 * their extended attributes.
 *
 * @param id the node's id in the manifest, which only dumps of the image show
 * @param content a field whose meaning depends on the layout: where flat content begins, or the
 *     format of chunks
 * @param filter see {@link Attribute#filter}
 */
record Inode(
        Layout layout,
        int mode,
        long size,
        int content,
        long id,
        long mtimeNanos,
        int links,
        int filter) {

    /** Where a node's content is. */
    enum Layout {
        /** In consecutive blocks of the image. */
        FLAT_PLAIN(0),
        /** In consecutive blocks of the image, with the tail after the inode. */
        FLAT_INLINE(2),
        /** In devices. */
        CHUNK_BASED(4);

        private static final int EXTENDED = 1;

        private final int number;

        Layout(int number) {
            this.number = number;
        }

        short format() {
            return (short) ((number << 1) | EXTENDED);
        }
    }

    static final int FILE_MODE = 0100444;
    static final int DIRECTORY_MODE = 0040555;

    private static final int INODE_BYTES = 64;
    private static final int ATTRIBUTES_HEADER_BYTES = 12;
    private static final int REFERENCE_BYTES = 4;
    private static final int OWNER = 0;
    private static final long NANOS = 1_000_000_000;

    /** Returns how many bytes {@link #put} writes for so many attributes, at least one. */
    static int bytes(int attributes) {
        return INODE_BYTES + ATTRIBUTES_HEADER_BYTES + REFERENCE_BYTES * attributes;
    }

    void put(ByteBuffer out, int... attributes) {
        out.putShort(layout.format());
        out.putShort((short) (attributes.length + 1));
        out.putShort((short) mode);
        out.putShort((short) 0);
        out.putLong(size);
        out.putInt(content);
        out.putInt((int) id);
        out.putInt(OWNER);
        out.putInt(OWNER);
        out.putLong(Math.floorDiv(mtimeNanos, NANOS));
        out.putInt((int) Math.floorMod(mtimeNanos, NANOS));
        out.putInt(links);
        out.putLong(0);
        out.putLong(0);
        out.putInt(filter);
        out.put((byte) attributes.length);
        out.putInt(0).putShort((short) 0).put((byte) 0);
        for (int attribute : attributes) {
            out.putInt(attribute);
        }
    }
}
