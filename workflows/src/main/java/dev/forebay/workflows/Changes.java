package dev.forebay.workflows;

import io.temporal.workflow.Workflow;

/**
 * What this run does that runs of earlier code did not. Those go on as they began until they
 * continue as new.
 */
final class Changes {

    /** The id under which histories remember the numbers below: it stays what it is. */
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
     * Whether a batch of chunks that nobody waits for begins only when its namespace may spend
     * more. Asked for by the filling, which knows nothing of the levels above.
     */
    static boolean speculationHasABudget() {
        return Workflow.getVersion("speculation has a budget", Workflow.DEFAULT_VERSION, 1) > 0;
    }

    /** Whether what nobody waits for has no room before its namespace may spend more. */
    static boolean budgetsComeBeforeRoom() {
        return Workflow.getVersion("budgets come before room", Workflow.DEFAULT_VERSION, 1) > 0;
    }

    /** As {@link #ID}, of fillings. */
    private static final String OF_FILLINGS = "room is claimed";

    private static final int ROOM_IS_CLAIMED = 1;

    /** Whether this filling waits until there is room. */
    static boolean roomIsClaimed() {
        return Workflow.getVersion(OF_FILLINGS, Workflow.DEFAULT_VERSION, ROOM_IS_CLAIMED)
                >= ROOM_IS_CLAIMED;
    }

    /**
     * Whether a filling asks where its bytes are cheapest. Asked for by the filling, as the above.
     */
    static boolean sourcesAreChosen() {
        return Workflow.getVersion("sources are chosen", Workflow.DEFAULT_VERSION, 1) > 0;
    }

    private static final int FILLINGS_WAIT_FOR_LESS = 1;
    private static final int ADMISSIONS_ARE_WAITED_FOR = 2;
    private static final int PLACES_ARE_KEPT = 3;

    /**
     * Whether a filling finds out where its bytes are cheapest while room is made for them, and
     * goes on while its parent is told of its progress.
     */
    static boolean fillingsWaitForLess() {
        return levelOfWaiting() >= FILLINGS_WAIT_FOR_LESS;
    }

    /** Whether a filling that is cancelled hears first whether it was let in. */
    static boolean admissionsAreWaitedFor() {
        return levelOfWaiting() >= ADMISSIONS_ARE_WAITED_FOR;
    }

    /** Whether a filling has a place in the region's queue before, and while, room is made. */
    static boolean placesAreKept() {
        return levelOfWaiting() >= PLACES_ARE_KEPT;
    }

    /** Whether a filling goes on whose region has forgotten the mount. */
    static boolean mountsAreMadeAnew() {
        return Workflow.getVersion("mounts are made anew", Workflow.DEFAULT_VERSION, 1) > 0;
    }

    private static int levelOfWaiting() {
        return Workflow.getVersion(
                "fillings wait for less", Workflow.DEFAULT_VERSION, PLACES_ARE_KEPT);
    }

    /** Whether a region that is CACHED is asked again before a receipt is given. */
    boolean receiptsAreProven() {
        return level >= RECEIPTS_ARE_PROVEN;
    }

    /** Whether the TTL begins anew with a receipt without a pin. */
    boolean receiptsBeginTheTtl() {
        return level >= WHO_ASKS_IS_REMEMBERED;
    }

    /** Whether a sweep asks for victims with their reasons, and not only for what has expired. */
    static boolean sweepsSayWhy() {
        return Workflow.getVersion(SWEEPS_SAY_WHY, Workflow.DEFAULT_VERSION, 1) >= 1;
    }

    /**
     * Whether a run whose history is too long ends while fillings and callers wait, but not while a
     * pin is being taken or given back.
     */
    boolean nobodyHoldsUpARun() {
        return level >= NOBODY_HOLDS_UP_A_RUN;
    }

    /** Whether who cannot have a pin hears so at once, and who can have none yet soon. */
    boolean pinsAreAnsweredSoon() {
        return level >= NOBODY_HOLDS_UP_A_RUN;
    }

    /** Whether a request that fails gives back the pins that it took, and no others. */
    boolean pinsAreGivenBackByWhoTookThem() {
        return level >= WHO_DID_IT_IS_REMEMBERED;
    }

    /**
     * Whether nobody takes a pin while it is being ended, and a request that fails forgets none
     * that it has taken, in whatever round or run.
     */
    boolean pinsAreTakenInTurn() {
        return level >= PINS_ARE_TAKEN_IN_TURN;
    }

    /**
     * Whether a run also ends while something is under way because its history has too many bytes,
     * and a request that is taken back between two runs gives back the pins that it has taken.
     */
    boolean runsHaveASize() {
        return level >= RUNS_HAVE_A_SIZE;
    }

    /** Whether a region that was done long before the last one of a request is asked again. */
    boolean receiptsOfSeveralRegionsStand() {
        return level >= RECEIPTS_OF_SEVERAL_STAND;
    }

    /**
     * Whether a request whose deadline has come keeps the pin that it has, and tries once more to
     * have one on what is mounted.
     */
    boolean lateReceiptsArePinned() {
        return level >= LATE_RECEIPTS_ARE_PINNED;
    }

    /**
     * Whether a version that was given up before it was frozen is gone from the catalogue, too,
     * when its cancellation is answered.
     */
    boolean catalogueHearsOfCancels() {
        return level >= CATALOGUE_HEARS_OF_CANCELS;
    }

    /** Whether what a filling has counted is kept apart from what is there. */
    boolean fillingsAreCounted() {
        return level >= WHO_DID_IT_IS_REMEMBERED;
    }

    /** Whether a region whose filling has failed is asked how much is there. */
    boolean failuresAreLookedAt() {
        return level >= WHO_ASKS_IS_REMEMBERED;
    }
}
