package dev.forebay.fuse.read;

/**
 * The bounds of a {@link PackReader}.
 *
 * @param memoryBytes for pieces of packs
 * @param maxWindowBytes how far to read ahead of a sequential reader; at most a quarter of the
 *     memory is used for one
 * @param maxPrefetches how many pieces may be on their way ahead of time at once
 * @param strict whether each read goes to the source, which compares checksums, instead of to
 *     memory
 */
public record PackReaderConfig(
        long memoryBytes, long maxWindowBytes, int maxPrefetches, boolean strict) {

    /** 16 MiB ahead, 16 pieces at once. */
    public static PackReaderConfig ofMemory(long memoryBytes) {
        return new PackReaderConfig(memoryBytes, 16L << 20, 16, false);
    }

    /** The same, with another number of pieces of 1 MiB that are ahead at once. */
    public PackReaderConfig prefetching(int pieces) {
        return new PackReaderConfig(memoryBytes, maxWindowBytes, pieces, strict);
    }

    /** The same, but that every read goes to the source. */
    public PackReaderConfig strict(boolean strictly) {
        return new PackReaderConfig(memoryBytes, maxWindowBytes, maxPrefetches, strictly);
    }
}
