package dev.forebay.workflows;

/**
 * How a version is cut into the batches of chunks that one activity warms.
 *
 * <p>About fifty batches make a good progress bar; fewer than 32 chunks (256 MiB) would leave the
 * region's workers idle between batches, more than 2,048 (16 GiB) would make an attempt long.
 * Whatever the size, progress is told to the parent at most fifty times.
 */
final class Batches {

    private static final long MOST_REPORTS = 50;
    private static final long FEWEST_CHUNKS = 32;
    private static final long MOST_CHUNKS = 2_048;

    private Batches() {}

    /** How many chunks a batch has. */
    static long size(long chunks) {
        return Math.clamp(Math.ceilDiv(chunks, MOST_REPORTS), FEWEST_CHUNKS, MOST_CHUNKS);
    }

    /** In which fiftieth of the version a chunk is: progress is worth telling when it changes. */
    static int step(long ordinal, long chunks) {
        return chunks == 0 ? 0 : Math.toIntExact(MOST_REPORTS * ordinal / chunks);
    }
}
