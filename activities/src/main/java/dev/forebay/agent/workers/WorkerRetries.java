package dev.forebay.agent.workers;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Exponential backoff with jitter and a time limit, for attempts to reach a worker. Each object
 * serves one use by one thread.
 */
public final class WorkerRetries {

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;

    private final long deadline;
    private long pauseMillis = FIRST_PAUSE_MILLIS;

    public WorkerRetries(Duration limit) {
        this.deadline = System.nanoTime() + limit.toNanos();
    }

    /** Pauses and returns true, or returns false at once if the time limit has passed. */
    public boolean pause() {
        if (System.nanoTime() - deadline >= 0) {
            return false;
        }
        rest();
        return true;
    }

    /** Pauses regardless of the time limit. */
    void rest() {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(pauseMillis / 2, pauseMillis + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "stopped while waiting", e);
        }
        pauseMillis = Math.min(pauseMillis * 2, LONGEST_PAUSE_MILLIS);
    }
}
