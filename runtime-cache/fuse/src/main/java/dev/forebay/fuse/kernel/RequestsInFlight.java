package dev.forebay.fuse.kernel;

import java.util.concurrent.TimeUnit;

/** Counts requests that wait for their answers. Thread-safe. */
final class RequestsInFlight {

    // Guarded by this.
    private int count;

    synchronized void add(int more) {
        count += more;
        notifyAll();
    }

    /**
     * Waits until the count is zero.
     *
     * @return whether it became zero in time
     */
    synchronized boolean await(long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        while (count > 0 && deadline - System.nanoTime() > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, deadline - System.nanoTime());
        }
        return count == 0;
    }
}
