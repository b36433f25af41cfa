package dev.forebay.chunkstore;

/**
 * What chunk files together may take on disk.
 *
 * @param bytes of them, footers included
 * @param files how many; bounds inodes and memory, some 60 bytes for each
 */
public record StoreLimits(long bytes, long files) {

    /** An equal part of it. */
    StoreLimits dividedBy(int parts) {
        return new StoreLimits(bytes / parts, files / parts);
    }
}
