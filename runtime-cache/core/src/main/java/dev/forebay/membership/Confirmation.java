package dev.forebay.membership;

import java.time.Duration;

/** When a view was last known to be what etcd has. Safe for use by many threads. */
final class Confirmation {

    private boolean given;
    private long askedNanos;

    /**
     * The view is what etcd has.
     *
     * @param asked when that was asked, a value of {@link System#nanoTime}
     */
    synchronized void give(long asked) {
        given = true;
        askedNanos = asked;
        notifyAll();
    }

    /** Whether it was asked after this moment. */
    synchronized boolean isSince(long nanos) {
        return given && askedNanos - nanos > 0;
    }

    /** Waits for that, at most so long; returns whether it is so. */
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
