package dev.forebay.worker.fill;

/**
 * Whether somebody waits for a piece of work at this moment.
 *
 * <p>Begins as what the first asker says and can only rise: a reader who comes to a chunk that is
 * being prefetched makes it urgent. Safe for use by many threads.
 */
public final class Urgency {

    private volatile boolean demanded;

    private Urgency(boolean demanded) {
        this.demanded = demanded;
    }

    /** A reader waits. */
    public static Urgency demand() {
        return new Urgency(true);
    }

    /** Nobody waits yet. */
    public static Urgency prefetch() {
        return new Urgency(false);
    }

    boolean demanded() {
        return demanded;
    }

    void raise() {
        demanded = true;
    }
}
