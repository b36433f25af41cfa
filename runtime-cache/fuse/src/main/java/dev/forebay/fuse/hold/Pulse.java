package dev.forebay.fuse.hold;

/**
 * Whether a server answers when it is asked. One question is under way at a time, so that those to
 * a process that is stopped do not pile up. One that has never answered may be of a release that
 * does not know the question. Safe for use by many threads.
 */
final class Pulse {

    private boolean answers;
    private boolean asked;
    private long sinceNanos;

    /** Notes that the server is asked now; false if it has not answered yet. */
    synchronized boolean ask(long nowNanos) {
        if (asked) {
            return false;
        }
        asked = true;
        sinceNanos = nowNanos;
        return true;
    }

    /** Takes back what {@link #ask} noted: the question could not be put. */
    synchronized void notAsked() {
        asked = false;
    }

    synchronized void answered() {
        asked = false;
        answers = true;
    }

    /** Waits for the answer from now on: who asked was stopped himself. */
    synchronized void restart(long nowNanos) {
        sinceNanos = nowNanos;
    }

    /** Whether the server owes an answer for so long. */
    synchronized boolean isSilent(long nowNanos, long patienceNanos) {
        return answers && asked && nowNanos - sinceNanos > patienceNanos;
    }
}
