package dev.forebay.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/**
 * The second pass of writing an image, over directories only. Every inode has its number now, so
 * this pass completes the blocks of names and writes them, and the inodes of directories, to the
 * image.
 */
final class DirectoryLinker {

    private static final byte FILE = 1;
    private static final byte DIRECTORY = 2;

    private static final int NAME_OFFSET = 8;
    private static final int TYPE = 10;

    private final FileChannel image;
    private final long inodesAt;
    private final Area blocks;
    private final long firstBlock;
    private final NodeNumbers.Mapped numbers;
    private final int[] attributes;

    /** An inode, and the tail of its directory. */
    private final ByteBuffer inode =
            ByteBuffer.allocate(Erofs.BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    /**
     * @param inodesAt where the area of inodes begins in the image
     * @param firstBlock where the blocks of names begin in the image
     * @param attributes the attributes to which every directory's inode refers
     */
    DirectoryLinker(
            FileChannel image,
            long inodesAt,
            long firstBlock,
            NodeNumbers.Mapped numbers,
            int... attributes) {
        this.image = image;
        this.inodesAt = inodesAt;
        this.firstBlock = firstBlock;
        this.blocks = new Area(image, firstBlock * Erofs.BLOCK_BYTES);
        this.numbers = numbers;
        this.attributes = attributes.clone();
    }

    /** Writes the next directory, whose names are the next in {@code names}. */
    void link(DirectoryInode directory, ScratchReader names) throws IOException {
        long begin = firstBlock + blocks.bytes() / Erofs.BLOCK_BYTES;
        int links = 0;
        for (long i = 0; i < directory.shape().fullBlocks(); i++) {
            links += complete(names, Erofs.BLOCK_BYTES, blocks.extend(Erofs.BLOCK_BYTES));
        }
        int tailBytes = directory.shape().tailBytes();
        int tailAt = Inode.bytes(attributes.length);
        inode.clear();
        if (tailBytes > 0) {
            links += complete(names, tailBytes, inode.position(tailAt));
        }
        directory
                .inode(begin, links, TreeLayout.DIRECTORY_FILTER)
                .put(inode.position(0), attributes);
        inode.position(0).limit(tailAt + tailBytes);
        long at = inodesAt + directory.number() * Erofs.SLOT_BYTES;
        while (inode.hasRemaining()) {
            at += image.write(inode, at);
        }
    }

    /** Completes and copies one block. Returns how many of its entries are directories. */
    private int complete(ScratchReader names, int bytes, ByteBuffer out) throws IOException {
        ByteBuffer in = names.next(bytes);
        int from = out.position();
        out.put(from, in, in.position(), bytes);
        in.position(in.position() + bytes);
        out.position(from + bytes);
        int end = out.getShort(from + NAME_OFFSET);
        int directories = 0;
        for (int entry = 0; entry < end; entry += DirectoryBlocks.ENTRY_BYTES) {
            long id = out.getLong(from + entry);
            boolean directory = numbers.isDirectory(id);
            out.putLong(from + entry, numbers.number(id));
            out.put(from + entry + TYPE, directory ? DIRECTORY : FILE);
            directories += directory ? 1 : 0;
        }
        return directories;
    }

    /** Writes the buffered bytes and returns the size of all blocks in bytes. */
    long finish() throws IOException {
        blocks.flush();
        return blocks.bytes();
    }
}
