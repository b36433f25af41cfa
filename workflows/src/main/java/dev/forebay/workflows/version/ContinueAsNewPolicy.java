package dev.forebay.workflows.version;

import dev.forebay.workflows.evict.Evictions;
import dev.forebay.workflows.fill.Fills;
import dev.forebay.workflows.ingest.Ingest;
import dev.forebay.workflows.pin.VersionPins;
import io.temporal.workflow.Workflow;

/**
 * Decides when a run of a version's workflow is long enough to continue as new. Checks that the
 * next run would know of all work in progress.
 */
final class ContinueAsNewPolicy {

    /**
     * Well below Temporal's limit of 50 MiB. Each status sent to the catalogue contains all pins.
     */
    private static final long MOST_BYTES = 16L << 20;

    /** The most events that a waiting caller adds to the next run when its client asks again. */
    private static final int EVENTS_OF_A_CALLER = 10;

    private final Ingest ingest;
    private final Fills fills;
    private final Evictions evictions;
    private final VersionPins pins;
    private final UnansweredRequests callers;
    private final int longestHistory;
    private final int mostUpdates;

    /**
     * @param longestHistory in events
     * @param mostUpdates the most callers of a run, answered and waiting
     */
    ContinueAsNewPolicy(
            Ingest ingest,
            Fills fills,
            Evictions evictions,
            VersionPins pins,
            UnansweredRequests callers,
            int longestHistory,
            int mostUpdates) {
        this.ingest = ingest;
        this.fills = fills;
        this.evictions = evictions;
        this.pins = pins;
        this.callers = callers;
        this.longestHistory = longestHistory;
        this.mostUpdates = mostUpdates;
    }

    /** Returns whether the next run can take over: it would know of all work in progress. */
    boolean isReached() {
        return pins.isIdle() && (fills.isHalted() || (isHistoryLong() && isNothingUnderWay()));
    }

    /**
     * Returns whether the run is too long to wait until no work is in progress, so that its fills
     * must stop. An ingest is left to end, so that it does not begin twice.
     */
    boolean isOverdue() {
        return isHistoryTooLong() && ingest.isIdle() && !fills.isHalting();
    }

    private boolean isHistoryLong() {
        return Workflow.getInfo().isContinueAsNewSuggested()
                || Workflow.getInfo().getHistoryLength() > longestHistory;
    }

    /**
     * Returns whether the history is too long, without the events with which the next run would
     * begin.
     */
    private boolean isHistoryTooLong() {
        int waiting = callers.waiting();
        int answered = callers.answered();
        return Workflow.getInfo().getHistorySize() > MOST_BYTES
                || Workflow.getInfo().getHistoryLength()
                        > 2L * longestHistory + (long) EVENTS_OF_A_CALLER * waiting
                || (answered + waiting > mostUpdates && answered > mostUpdates / 3);
    }

    private boolean isNothingUnderWay() {
        return fills.isIdle() && evictions.isIdle() && Workflow.isEveryHandlerFinished();
    }
}
