package dev.forebay.fuse.kernel;

import java.util.concurrent.TimeUnit;

/** How many requests wait for their answers. Safe for use by many threads. */
final class Unanswered {

    // Guarded by this.
    private int count;

    synchronized void add(int more) {
        count += more;
        notifyAll();
    }

    /**
     * Waits until there is none.
     *
     * @return whether there is none in time
     */
    synchronized boolean await(long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        while (count > 0 && deadline - System.nanoTime() > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, deadline - System.nanoTime());
        }
        return count == 0;
    }
}
