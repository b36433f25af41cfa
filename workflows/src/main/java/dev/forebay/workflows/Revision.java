package dev.forebay.workflows;

/**
 * The place of a status among all that the runs of a version's workflow tell the catalogue. It is
 * the same in every replay.
 *
 * @param startedMillis when the run began, in milliseconds since the epoch
 * @param historyLength how many events the run had
 */
public record Revision(long startedMillis, long historyLength) {

    /**
     * For the history's length, of which Temporal allows 51,200; the start then fits until 2248.
     */
    private static final int HISTORY_BITS = 20;

    /** Temporal notes the start of a run twice, a moment apart. */
    private static final long SAME_START_MILLIS = 1_000;

    /** The revision that was written as {@code number}. */
    public static Revision of(long number) {
        return new Revision(number >> HISTORY_BITS, number & ((1L << HISTORY_BITS) - 1));
    }

    /** As one number, which grows from run to run, and within a run. */
    public long number() {
        return (startedMillis << HISTORY_BITS) + historyLength;
    }

    /** Whether a run that has only come to {@code other} cannot have told this. */
    public boolean isAheadOf(Revision other) {
        long later = startedMillis - other.startedMillis;
        return Math.abs(later) <= SAME_START_MILLIS
                ? historyLength > other.historyLength
                : later > 0;
    }
}
