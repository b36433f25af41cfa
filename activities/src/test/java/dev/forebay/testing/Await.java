package dev.forebay.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waiting for something to become true. */
public final class Await {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Await() {}

    /** Returns when {@code condition} holds, and fails after a minute. */
    public static void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + LIMIT + ": " + what);
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
