package dev.forebay.fuse.hold;

/**
 * Whether a server does in time what it is asked for: to answer, and to serve. One question is
 * under way at a time, so that those to a process that is stopped do not pile up. One that has
 * never answered may be of a release that does not know the question; that it serves every release
 * says. Safe for use by many threads.
 */
final class Pulse {

    private boolean answers;
    private boolean asked;
    private boolean late;
    private long askedNanos;
    private boolean appointed;
    private long appointedNanos;

    /** Notes that the server is asked now; false if it has not answered yet. */
    synchronized boolean ask(long nowNanos) {
        if (asked) {
            late = true;
            return false;
        }
        asked = true;
        askedNanos = nowNanos;
        return true;
    }

    /** Takes back what {@link #ask} noted: the question could not be put. */
    synchronized void notAsked() {
        asked = false;
    }

    synchronized void answered() {
        asked = false;
        late = false;
        answers = true;
    }

    /** The server is told to serve now. */
    synchronized void appoint(long nowNanos) {
        appointed = true;
        appointedNanos = nowNanos;
    }

    /** The server says that it serves. */
    synchronized void serves() {
        appointed = false;
    }

    /** Waits from now on: who asked was stopped himself. */
    synchronized void restart(long nowNanos) {
        askedNanos = nowNanos;
        appointedNanos = nowNanos;
    }

    /** Whether the server has answered, and always before it was to be asked again. */
    synchronized boolean isPrompt() {
        return answers && !late;
    }

    /** Whether the server owes an answer, or owes to say that it serves, for so long. */
    synchronized boolean isSilent(long nowNanos, long patienceNanos) {
        return (answers && asked && nowNanos - askedNanos > patienceNanos)
                || (appointed && nowNanos - appointedNanos > patienceNanos);
    }
}
