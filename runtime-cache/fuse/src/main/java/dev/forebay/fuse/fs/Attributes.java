package dev.forebay.fuse.fs;

/**
 * What {@code stat} shows.
 *
 * @param inode unique in the mount, the same on every node
 * @param size in bytes; 0 for a directory
 * @param mtimeNanos since the epoch
 */
public record Attributes(long inode, boolean directory, long size, long mtimeNanos) {

    private static final int DIRECTORY_MODE = 0040555;
    private static final int FILE_MODE = 0100444;

    /** Type and permission bits. */
    public int mode() {
        return directory ? DIRECTORY_MODE : FILE_MODE;
    }

    /** 1 for directories too, which says that their number of subdirectories is not counted. */
    public int links() {
        return 1;
    }

    /** The space it takes, in units of 512 bytes. */
    public long blocks() {
        return Math.ceilDiv(size, 512);
    }
}
