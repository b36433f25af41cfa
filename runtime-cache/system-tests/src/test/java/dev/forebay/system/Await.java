package dev.forebay.system;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for a condition, with a timeout. */
final class Await {

    private static final Duration STEP = Duration.ofMillis(100);

    private Await() {}

    /** Polls until {@code condition} holds. An exception of the condition counts as "not yet". */
    static void until(String what, Duration timeout, Callable<Boolean> condition) {
        Instant deadline = Instant.now().plus(timeout);
        Exception last = null;
        while (Instant.now().isBefore(deadline)) {
            try {
                if (condition.call()) {
                    return;
                }
            } catch (Exception e) {
                last = e;
            }
            pause();
        }
        String why = last == null ? "" : ", at last " + last;
        throw new AssertionError("not within " + timeout + ": " + what + why, last);
    }

    static void pause() {
        LockSupport.parkNanos(STEP.toNanos());
    }
}
