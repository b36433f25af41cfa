package dev.forebay.membership.etcd;

import java.time.Duration;

/** Records when a view was last known to equal etcd's state. Safe for use by many threads. */
final class ViewFreshness {

    private boolean given;
    private long askedNanos;

    /**
     * Records that the view equals etcd's state.
     *
     * @param asked when the comparison began, a value of {@link System#nanoTime}
     */
    synchronized void give(long asked) {
        given = true;
        askedNanos = asked;
        notifyAll();
    }

    /** Returns whether the last comparison that succeeded began after this moment. */
    synchronized boolean isSince(long nanos) {
        return given && askedNanos - nanos > 0;
    }

    /** Waits until {@link #isSince} holds, at most {@code longest}. Returns whether it does. */
    synchronized boolean awaitSince(long nanos, Duration longest) throws InterruptedException {
        long end = System.nanoTime() + longest.toNanos();
        long left = longest.toMillis();
        while (!isSince(nanos) && left > 0) {
            wait(left);
            left = (end - System.nanoTime()) / 1_000_000;
        }
        return isSince(nanos);
    }
}
