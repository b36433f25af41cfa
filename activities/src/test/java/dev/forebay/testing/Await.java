package dev.forebay.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for a condition. */
public final class Await {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long SHORTEST_PAUSE_MILLIS = 20;
    private static final long LONGEST_PAUSE_MILLIS = 500;

    /** Each check burdens the processes under test, so the pauses grow with the time waited. */
    private static final int PART_OF_THE_WAIT = 10;

    private Await() {}

    /** Returns when {@code condition} holds, and fails after a minute. */
    public static void until(String what, BooleanSupplier condition) {
        until(what, LIMIT, condition);
    }

    /** Returns when {@code condition} holds, and fails after {@code limit}. */
    public static void until(String what, Duration limit, BooleanSupplier condition) {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            Duration waited = Duration.ofNanos(System.nanoTime() - begun);
            if (waited.compareTo(limit) > 0) {
                throw new AssertionError("not within " + limit + ": " + what);
            }
            try {
                Thread.sleep(
                        Math.clamp(
                                waited.toMillis() / PART_OF_THE_WAIT,
                                SHORTEST_PAUSE_MILLIS,
                                LONGEST_PAUSE_MILLIS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted: " + what, e);
            }
        }
    }
}
