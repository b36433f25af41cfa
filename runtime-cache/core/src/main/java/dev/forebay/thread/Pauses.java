package dev.forebay.thread;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Pauses of threads. A workflow pauses in other ways, because it must be deterministic. */
public final class Pauses {

    private Pauses() {}

    /**
     * Returns a random part of a pause, so that clients that failed together do not try again
     * together.
     *
     * <p>This is "full jitter" if {@code least} is 0, and "equal jitter" if it is 0.5 (Brooker,
     * "Exponential Backoff And Jitter", AWS Architecture Blog 2015).
     *
     * @param least the smallest part of the pause, from 0 to 1
     */
    public static Duration random(Duration pause, double least) {
        long nanos = pause.toNanos();
        return Duration.ofNanos(
                ThreadLocalRandom.current().nextLong((long) (nanos * least), nanos + 1));
    }

    /**
     * Sleeps.
     *
     * @throws ForebayException {@code UNAVAILABLE} if the thread was interrupted; it stays
     *     interrupted
     */
    public static void sleep(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
    }
}
