package dev.forebay.fuse.fs;

/**
 * The attributes of an inode, as {@code stat} shows them.
 *
 * @param inode unique in the mount, the same on every node
 * @param size in bytes; 0 for a directory
 * @param mtimeNanos nanoseconds since the epoch
 */
public record Attributes(long inode, boolean directory, long size, long mtimeNanos) {

    private static final int DIRECTORY_MODE = 0040555;
    private static final int FILE_MODE = 0100444;

    /** Returns the type and permission bits. */
    public int mode() {
        return directory ? DIRECTORY_MODE : FILE_MODE;
    }

    /**
     * Returns 1, for directories too: the value tells programs that subdirectories are not counted.
     */
    public int links() {
        return 1;
    }

    /** Returns the occupied space in units of 512 bytes. */
    public long blocks() {
        return Math.ceilDiv(size, 512);
    }
}
