package dev.forebay.model;

import java.time.Duration;

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
}
