package dev.forebay.worker.fill;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether somebody waits for a piece of work at this moment.
 *
 * <p>Begins as what the first asker says and can only rise: a reader who comes to a chunk that is
 * being prefetched makes it urgent. Safe for use by many threads.
 */
public final class Urgency {

    private final boolean fromTheBeginning;
    private final AtomicBoolean raised;

    private Urgency(boolean fromTheBeginning, AtomicBoolean raised) {
        this.fromTheBeginning = fromTheBeginning;
        this.raised = raised;
    }

    /** A reader waits. */
    public static Urgency demand() {
        return new Urgency(true, new AtomicBoolean());
    }

    /** Nobody waits yet. */
    public static Urgency prefetch() {
        return new Urgency(false, new AtomicBoolean());
    }

    /**
     * That of what is done besides, for which the first asker does not wait: who comes later may,
     * so it rises with this one.
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
