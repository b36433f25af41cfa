package dev.forebay.thread;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Shutdown signal for threads that work in rounds and sleep in between. It wakes sleeping threads
 * at once. Thread-safe.
 */
public final class ShutdownSignal {

    private final CountDownLatch begun = new CountDownLatch(1);

    /**
     * Begins the shutdown. Threads that sleep in {@link #within}, or call it later, return at once.
     */
    public void begin() {
        begun.countDown();
    }

    /** Returns whether the shutdown has begun. */
    public boolean hasBegun() {
        return begun.getCount() == 0;
    }

    /**
     * Sleeps until the time has passed or the shutdown begins.
     *
     * @param rest the duration; returns at once if it is not positive
     * @return true if the thread must end, because the shutdown has begun or the thread was
     *     interrupted
     */
    public boolean within(Duration rest) {
        try {
            return begun.await(rest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }
}
