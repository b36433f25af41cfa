package dev.forebay.thread;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Growing pauses between attempts: each is twice as long as the one before, up to a limit.
 *
 * @param first the pause after the first failure, more than 0
 * @param longest the limit
 */
public record Backoff(Duration first, Duration longest) {

    private static final int MOST_DOUBLINGS = 40;

    /** Returns the pause after a number of failures in a row, at least 1. */
    public Duration after(int failures) {
        int doublings = Math.clamp(failures - 1L, 0, MOST_DOUBLINGS);
        return shorter(first.multipliedBy(1L << doublings));
    }

    /** Returns the pause that follows another pause. */
    public Duration following(Duration pause) {
        return shorter(pause.multipliedBy(2));
    }

    private Duration shorter(Duration pause) {
        return pause.compareTo(longest) < 0 ? pause : longest;
    }

    /**
     * Returns a random part of the pause after a number of failures in a row, so that clients that
     * failed together do not try again together.
     *
     * <p>This is "full jitter" if {@code least} is 0, and "equal jitter" if it is 0.5 (Brooker,
     * "Exponential Backoff And Jitter", AWS Architecture Blog 2015).
     *
     * @param failures at least 1
     * @param least the smallest part of the pause, from 0 to 1
     */
    public Duration random(int failures, double least) {
        long nanos = after(failures).toNanos();
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
