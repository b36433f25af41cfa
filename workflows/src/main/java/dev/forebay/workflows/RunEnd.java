package dev.forebay.workflows;

import io.temporal.workflow.Workflow;

/**
 * When a run of a version's workflow has become long enough for another one to go on in its place,
 * and whether that one would know of all that is under way.
 */
final class RunEnd {

    /** Of Temporal's limit of 50 MiB. The catalogue is told of all pins each time. */
    private static final long MOST_BYTES = 16L << 20;

    /** What a caller who waits, and asks the next run again, costs that one at most. */
    private static final int EVENTS_OF_A_CALLER = 10;

    private final Ingest ingest;
    private final Fills fills;
    private final Evictions evictions;
    private final Pins pins;
    private final Callers callers;
    private final Changes changes;
    private final int longestHistory;
    private final int mostUpdates;

    /**
     * @param longestHistory in events
     * @param mostUpdates in a run, of callers who were answered or wait
     */
    RunEnd(
            Ingest ingest,
            Fills fills,
            Evictions evictions,
            Pins pins,
            Callers callers,
            Changes changes,
            int longestHistory,
            int mostUpdates) {
        this.ingest = ingest;
        this.fills = fills;
        this.evictions = evictions;
        this.pins = pins;
        this.callers = callers;
        this.changes = changes;
        this.longestHistory = longestHistory;
        this.mostUpdates = mostUpdates;
    }

    /** Whether the next run can go on: nothing is under way that it would not know of. */
    boolean isReached() {
        boolean held = changes.nobodyHoldsUpARun() && !pins.isIdle();
        return !held && (fills.isHalted() || (isHistoryLong() && isNothingUnderWay()));
    }

    /**
     * Whether the run is too long to wait until nothing is under way: then fillings have to be
     * halted. An ingest ends by itself, and is not begun twice.
     */
    boolean isOverdue() {
        return changes.nobodyHoldsUpARun()
                && isHistoryTooLong()
                && ingest.isIdle()
                && !fills.isHalting();
    }

    private boolean isHistoryLong() {
        return Workflow.getInfo().isContinueAsNewSuggested()
                || Workflow.getInfo().getHistoryLength() > longestHistory;
    }

    /** What the next run would begin with is left out. */
    private boolean isHistoryTooLong() {
        int waiting = callers.waiting();
        int answered = callers.answered();
        return (changes.runsHaveASize() && Workflow.getInfo().getHistorySize() > MOST_BYTES)
                || Workflow.getInfo().getHistoryLength()
                        > 2L * longestHistory + (long) EVENTS_OF_A_CALLER * waiting
                || (answered + waiting > mostUpdates && answered > mostUpdates / 3);
    }

    private boolean isNothingUnderWay() {
        return fills.isIdle() && evictions.isIdle() && Workflow.isEveryHandlerFinished();
    }
}
