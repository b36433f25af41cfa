package dev.forebay.chunkstore;

/**
 * The most that chunk files together may take on disk.
 *
 * @param bytes their size, footers included
 * @param files their number; bounds inodes and memory, some 60 bytes for each
 */
public record StoreLimits(long bytes, long files) {

    /** Returns an equal part of these limits. */
    StoreLimits dividedBy(int parts) {
        return new StoreLimits(bytes / parts, files / parts);
    }
}
