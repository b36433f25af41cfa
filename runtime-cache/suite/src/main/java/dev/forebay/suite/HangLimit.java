package dev.forebay.suite;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/** When something that has begun just now is taken to hang: later where the machine is slow. */
final class HangLimit {
    private final long begin = System.nanoTime();
    private final int seconds;
    private final DoubleSupplier stretch;

    /**
     * @param seconds that it has on a machine that has nothing else to do
     * @param stretch by how much to stretch them, from its begin until now
     */
    HangLimit(int seconds, DoubleSupplier stretch) {
        this.seconds = seconds;
        this.stretch = stretch;
    }

    /** Something that may end; false if it has not within the time. */
    @FunctionalInterface
    interface Wait<E extends Exception> {
        boolean within(long millis) throws E, InterruptedException;
    }

    /** Waits for an end; returns false if it hangs. */
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
