package dev.forebay.thread;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The end of threads that work in rounds and rest in between: whoever rests is told at once. Safe
 * for use by many threads.
 */
public final class Closing {

    private final CountDownLatch begun = new CountDownLatch(1);

    /** From now on whoever rests, or is about to, ends instead. */
    public void begin() {
        begun.countDown();
    }

    /** Whether the end has begun. */
    public boolean hasBegun() {
        return begun.getCount() == 0;
    }

    /**
     * Rests, but not beyond the beginning of the end.
     *
     * @param rest how long; not at all if it is not more than 0
     * @return whether to end: as it has begun, or as this thread was interrupted
     */
    public boolean within(Duration rest) {
        try {
            return begun.await(rest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }
}
