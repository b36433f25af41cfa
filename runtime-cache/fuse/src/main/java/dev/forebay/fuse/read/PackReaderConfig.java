package dev.forebay.fuse.read;

/**
 * The limits of a {@link PackReader}.
 *
 * @param memoryBytes the memory for pieces of packs
 * @param maxWindowBytes the maximum read-ahead of one sequential reader; at most a quarter of the
 *     memory is used for it
 * @param maxPrefetches the maximum number of pieces that are read ahead at once
 * @param strict whether each read goes to the source, which verifies checksums, instead of memory
 */
public record PackReaderConfig(
        long memoryBytes, long maxWindowBytes, int maxPrefetches, boolean strict) {

    /** Returns limits with 16 MiB of read-ahead and 16 pieces at once. */
    public static PackReaderConfig ofMemory(long memoryBytes) {
        return new PackReaderConfig(memoryBytes, 16L << 20, 16, false);
    }

    /** Returns a copy with another number of pieces of 1 MiB that are read ahead at once. */
    public PackReaderConfig prefetching(int pieces) {
        return new PackReaderConfig(memoryBytes, maxWindowBytes, pieces, strict);
    }

    /** Returns a copy in which every read goes to the source, or not. */
    public PackReaderConfig strict(boolean strictly) {
        return new PackReaderConfig(memoryBytes, maxWindowBytes, maxPrefetches, strictly);
    }
}
