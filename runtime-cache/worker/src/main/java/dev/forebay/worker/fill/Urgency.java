package dev.forebay.worker.fill;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The priority of a piece of work: demand if a reader waits for it now, otherwise prefetch.
 *
 * <p>The first caller sets it, and it can only rise: a reader that joins a prefetch makes it
 * demand. Safe for use by many threads.
 */
public final class Urgency {

    private final boolean fromTheBeginning;
    private final AtomicBoolean raised;

    private Urgency(boolean fromTheBeginning, AtomicBoolean raised) {
        this.fromTheBeginning = fromTheBeginning;
        this.raised = raised;
    }

    /** Returns an urgency for work that a reader waits for. */
    public static Urgency demand() {
        return new Urgency(true, new AtomicBoolean());
    }

    /** Returns an urgency for work that no reader waits for yet. */
    public static Urgency prefetch() {
        return new Urgency(false, new AtomicBoolean());
    }

    /**
     * Returns the urgency of the rest of the work, which the first caller does not wait for. It
     * rises together with this one, because later callers may wait for the rest.
     */
    Urgency ofRest() {
        return new Urgency(false, raised);
    }

    boolean demanded() {
        return fromTheBeginning || raised.get();
    }

    void raise() {
        raised.set(true);
    }
}
