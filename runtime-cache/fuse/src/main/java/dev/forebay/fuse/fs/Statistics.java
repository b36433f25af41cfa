package dev.forebay.fuse.fs;

/**
 * What {@code statfs} shows: a full file system of exactly the mounted versions.
 *
 * @param bytes the sum of the sizes of their files
 * @param files the number of their files
 */
public record Statistics(long bytes, long files) {

    /** The block size that {@link #blocks} counts in. */
    public static final int BLOCK_BYTES = 4096;

    /** The longest name in bytes. */
    public static final int NAME_BYTES = 255;

    public long blocks() {
        return Math.ceilDiv(bytes, BLOCK_BYTES);
    }
}
