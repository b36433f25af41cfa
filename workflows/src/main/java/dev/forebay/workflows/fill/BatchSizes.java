package dev.forebay.workflows.fill;

/**
 * Divides a version into the batches of chunks that one activity fills.
 *
 * <p>About fifty batches make a good progress bar. Batches of less than 32 chunks (256 MiB) would
 * leave the region's workers idle in between. Batches of more than 2,048 chunks (16 GiB) would make
 * attempts long. The parent gets at most fifty progress reports for a version of any size.
 */
public final class BatchSizes {

    private static final long MOST_REPORTS = 50;
    private static final long FEWEST_CHUNKS = 32;
    private static final long MOST_CHUNKS = 2_048;

    private BatchSizes() {}

    /** Returns the number of chunks in a batch. */
    public static long size(long chunks) {
        return Math.clamp(Math.ceilDiv(chunks, MOST_REPORTS), FEWEST_CHUNKS, MOST_CHUNKS);
    }

    /**
     * Returns which fiftieth of the version a chunk is in. Progress is reported when this number
     * changes.
     */
    public static int step(long ordinal, long chunks) {
        return chunks == 0 ? 0 : Math.toIntExact(MOST_REPORTS * ordinal / chunks);
    }
}
