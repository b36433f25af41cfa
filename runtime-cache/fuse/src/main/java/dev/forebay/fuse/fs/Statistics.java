package dev.forebay.fuse.fs;

/**
 * The answer to {@code statfs}: a full file system that holds exactly the mounted versions.
 *
 * @param bytes the sum of the sizes of their files
 * @param files the number of their files
 */
public record Statistics(long bytes, long files) {

    /** The unit of {@link #blocks}, in bytes. */
    public static final int BLOCK_BYTES = 4096;

    /** The maximum length of a name in bytes. */
    public static final int NAME_BYTES = 255;

    public long blocks() {
        return Math.ceilDiv(bytes, BLOCK_BYTES);
    }
}
