package dev.forebay.fuse.hold;

/**
 * Tracks whether one server answers pings, and serves when it was appointed, in time. At most one
 * ping is pending, so pings to a stopped process do not pile up. A server that has never answered
 * may be of a release without pings. Every release reports that it serves. Thread-safe.
 */
final class ServerHealth {

    private boolean answers;
    private boolean asked;
    private boolean late;
    private long askedNanos;
    private boolean appointed;
    private long appointedNanos;

    /** Records a ping; returns false if the last one is still unanswered. */
    synchronized boolean ask(long nowNanos) {
        if (asked) {
            late = true;
            return false;
        }
        asked = true;
        askedNanos = nowNanos;
        return true;
    }

    /** Reverts {@link #ask}: the ping could not be sent. */
    synchronized void notAsked() {
        asked = false;
    }

    synchronized void answered() {
        asked = false;
        late = false;
        answers = true;
    }

    /** Records that the server was ordered to serve. */
    synchronized void appoint(long nowNanos) {
        appointed = true;
        appointedNanos = nowNanos;
    }

    /** Records that the server serves. */
    synchronized void serves() {
        appointed = false;
    }

    /** Restarts the timeouts, because this process itself was stopped. */
    synchronized void restart(long nowNanos) {
        askedNanos = nowNanos;
        appointedNanos = nowNanos;
    }

    /** Returns whether the server has answered, and always before the next ping was due. */
    synchronized boolean isPrompt() {
        return answers && !late;
    }

    /**
     * Returns whether an answer to a ping, or the report that it serves, is overdue by this time.
     */
    synchronized boolean isSilent(long nowNanos, long timeoutNanos) {
        return (answers && asked && nowNanos - askedNanos > timeoutNanos)
                || (appointed && nowNanos - appointedNanos > timeoutNanos);
    }
}
