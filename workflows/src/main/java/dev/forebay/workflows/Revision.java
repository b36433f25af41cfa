package dev.forebay.workflows;

/**
 * The order of a status among all that the runs of a version's workflow send to the catalogue. It
 * is the same in every replay.
 *
 * @param startedMillis when the run began, in milliseconds since the epoch
 * @param historyLength the number of events in the run's history
 */
public record Revision(long startedMillis, long historyLength) {

    /**
     * The bits for the history's length, which Temporal limits to 51,200 events. The start then
     * fits until the year 2248.
     */
    private static final int HISTORY_BITS = 20;

    /** Temporal records the start of a run twice, a moment apart. */
    private static final long SAME_START_MILLIS = 1_000;

    /** Returns the revision that {@code number} encodes. */
    public static Revision of(long number) {
        return new Revision(number >> HISTORY_BITS, number & ((1L << HISTORY_BITS) - 1));
    }

    /** Returns the revision as one number, which grows from run to run and within a run. */
    public long number() {
        return (startedMillis << HISTORY_BITS) + historyLength;
    }

    /** Returns whether a run that has only reached {@code other} cannot have sent this revision. */
    public boolean isAheadOf(Revision other) {
        long later = startedMillis - other.startedMillis;
        return Math.abs(later) <= SAME_START_MILLIS
                ? historyLength > other.historyLength
                : later > 0;
    }
}
