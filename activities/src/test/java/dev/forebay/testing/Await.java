package dev.forebay.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waiting for something to become true. */
public final class Await {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Await() {}

    /** Returns when {@code condition} holds, and fails after a minute. */
    public static void until(String what, BooleanSupplier condition) {
        until(what, LIMIT, condition);
    }

    /** Returns when {@code condition} holds, and fails after {@code limit}. */
    public static void until(String what, Duration limit, BooleanSupplier condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not within " + limit + ": " + what);
            }
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted: " + what, e);
            }
        }
    }
}
