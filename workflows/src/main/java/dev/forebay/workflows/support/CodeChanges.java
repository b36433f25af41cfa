package dev.forebay.workflows.support;

import io.temporal.workflow.Workflow;

/**
 * The version gates of workflow code: whether this run has a behaviour that earlier code did not
 * have. A run that began under earlier code keeps its behaviour until it continues as new.
 */
public final class CodeChanges {

    /** Histories store the numbers below under this id, so it must never change. */
    private static final String ID = "receipts are proven again";

    private static final int RECEIPTS_ARE_PROVEN = 1;
    private static final int WHO_ASKS_IS_REMEMBERED = 2;
    private static final int NOBODY_HOLDS_UP_A_RUN = 3;
    private static final int WHO_DID_IT_IS_REMEMBERED = 4;
    private static final int PINS_ARE_TAKEN_IN_TURN = 5;
    private static final int RUNS_HAVE_A_SIZE = 6;
    private static final int RECEIPTS_OF_SEVERAL_STAND = 7;
    private static final int LATE_RECEIPTS_ARE_PINNED = 8;
    private static final int CATALOGUE_HEARS_OF_CANCELS = 9;

    private static final String SWEEPS_SAY_WHY = "sweeps say why";

    private final int level =
            Workflow.getVersion(ID, Workflow.DEFAULT_VERSION, CATALOGUE_HEARS_OF_CANCELS);

    /**
     * Returns whether a speculative batch of chunks waits until its namespace may spend more. The
     * fill itself asks this, as it does not know the levels above.
     */
    public static boolean speculationHasABudget() {
        return Workflow.getVersion("speculation has a budget", Workflow.DEFAULT_VERSION, 1) > 0;
    }

    /**
     * Returns whether a speculative fill waits for its namespace's budget before it takes space.
     */
    public static boolean budgetsComeBeforeRoom() {
        return Workflow.getVersion("budgets come before room", Workflow.DEFAULT_VERSION, 1) > 0;
    }

    /** The same as {@link #ID}, for fills. */
    private static final String OF_FILLINGS = "room is claimed";

    private static final int ROOM_IS_CLAIMED = 1;

    /** Returns whether this fill waits until the region admits it. */
    public static boolean roomIsClaimed() {
        return Workflow.getVersion(OF_FILLINGS, Workflow.DEFAULT_VERSION, ROOM_IS_CLAIMED)
                >= ROOM_IS_CLAIMED;
    }

    /**
     * Returns whether a fill chooses the cheapest sources of its bytes. The fill itself asks this.
     */
    public static boolean sourcesAreChosen() {
        return Workflow.getVersion("sources are chosen", Workflow.DEFAULT_VERSION, 1) > 0;
    }

    private static final int FILLINGS_WAIT_FOR_LESS = 1;
    private static final int ADMISSIONS_ARE_WAITED_FOR = 2;
    private static final int PLACES_ARE_KEPT = 3;

    /**
     * Returns whether a fill chooses its sources while it waits for space, and continues while its
     * parent receives a progress report.
     */
    public static boolean fillingsWaitForLess() {
        return levelOfWaiting() >= FILLINGS_WAIT_FOR_LESS;
    }

    /** Returns whether a cancelled fill first waits for the answer of a running admission. */
    static boolean admissionsAreWaitedFor() {
        return levelOfWaiting() >= ADMISSIONS_ARE_WAITED_FOR;
    }

    /**
     * Returns whether a fill takes a place in the region's queue before space is freed, and keeps
     * it meanwhile.
     */
    public static boolean placesAreKept() {
        return levelOfWaiting() >= PLACES_ARE_KEPT;
    }

    /** Returns whether a fill continues if its region has lost the mount. */
    public static boolean mountsAreMadeAnew() {
        return Workflow.getVersion("mounts are made anew", Workflow.DEFAULT_VERSION, 1) > 0;
    }

    private static int levelOfWaiting() {
        return Workflow.getVersion(
                "fillings wait for less", Workflow.DEFAULT_VERSION, PLACES_ARE_KEPT);
    }

    /** Returns whether a region that is CACHED is confirmed again before a receipt is given. */
    public boolean receiptsAreProven() {
        return level >= RECEIPTS_ARE_PROVEN;
    }

    /** Returns whether a receipt without a pin starts the TTL again. */
    public boolean receiptsBeginTheTtl() {
        return level >= WHO_ASKS_IS_REMEMBERED;
    }

    /**
     * Returns whether a sweep asks for victims with their reasons, and not only for expired
     * versions.
     */
    public static boolean sweepsSayWhy() {
        return Workflow.getVersion(SWEEPS_SAY_WHY, Workflow.DEFAULT_VERSION, 1) >= 1;
    }

    /**
     * Returns whether a run with a history that is too long ends although fills and callers wait.
     * It never ends while a pin is being taken or released.
     */
    public boolean nobodyHoldsUpARun() {
        return level >= NOBODY_HOLDS_UP_A_RUN;
    }

    /**
     * Returns whether a pin request that can never succeed fails at once, and one for a version
     * that is not mounted fails soon.
     */
    public boolean pinsAreAnsweredSoon() {
        return level >= NOBODY_HOLDS_UP_A_RUN;
    }

    /** Returns whether a request that fails releases the pins that it took, and no others. */
    public boolean pinsAreGivenBackByWhoTookThem() {
        return level >= WHO_DID_IT_IS_REMEMBERED;
    }

    /**
     * Returns whether taking and ending the same pin exclude each other, and a request that fails
     * releases its pins from all rounds and runs.
     */
    public boolean pinsAreTakenInTurn() {
        return level >= PINS_ARE_TAKEN_IN_TURN;
    }

    /**
     * Returns whether a run also ends because of the bytes of its history, and a request that is
     * cancelled between two runs releases its pins.
     */
    public boolean runsHaveASize() {
        return level >= RUNS_HAVE_A_SIZE;
    }

    /**
     * Returns whether a request for several regions asks a region again whose receipt is old when
     * the last region completes.
     */
    public boolean receiptsOfSeveralRegionsStand() {
        return level >= RECEIPTS_OF_SEVERAL_STAND;
    }

    /**
     * Returns whether a request whose deadline has passed keeps its pin, and tries once more to pin
     * a mounted version.
     */
    public boolean lateReceiptsArePinned() {
        return level >= LATE_RECEIPTS_ARE_PINNED;
    }

    /**
     * Returns whether the cancellation of a version that was never frozen waits for the catalogue
     * to hear of it.
     */
    public boolean catalogueHearsOfCancels() {
        return level >= CATALOGUE_HEARS_OF_CANCELS;
    }

    /** Returns whether the progress of a fill is kept apart from the bytes present. */
    public boolean fillingsAreCounted() {
        return level >= WHO_DID_IT_IS_REMEMBERED;
    }

    /** Returns whether a region is asked for its coverage after its fill has failed. */
    public boolean failuresAreLookedAt() {
        return level >= WHO_ASKS_IS_REMEMBERED;
    }
}
