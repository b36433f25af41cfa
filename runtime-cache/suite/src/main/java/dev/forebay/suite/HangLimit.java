package dev.forebay.suite;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * The time limit after which work that begins now counts as hung. It is longer where the machine is
 * slow.
 */
final class HangLimit {
    private final long begin = System.nanoTime();
    private final int seconds;
    private final DoubleSupplier stretch;

    /**
     * @param seconds the limit on a machine without other load
     * @param stretch the factor for the limit, for the time from the creation of this object until
     *     now
     */
    HangLimit(int seconds, DoubleSupplier stretch) {
        this.seconds = seconds;
        this.stretch = stretch;
    }

    /** Waits for an end, and returns false if it does not come within the time. */
    @FunctionalInterface
    interface Wait<E extends Exception> {
        boolean within(long millis) throws E, InterruptedException;
    }

    /** Waits for an end; returns false if it does not come within the limit. */
    <E extends Exception> boolean await(Wait<E> end) throws E, InterruptedException {
        double left = seconds;
        while (left > 0) {
            if (end.within(Math.round(1000 * left))) {
                return true;
            }
            left = seconds * stretch.getAsDouble() - elapsed().toMillis() / 1000.0;
        }
        return false;
    }

    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
