package dev.forebay.agent.workers;

import dev.forebay.model.Backoff;
import dev.forebay.thread.Pauses;
import java.time.Duration;

/**
 * Exponential backoff with jitter and a time limit, for attempts to reach a worker. Each object
 * serves one use by one thread.
 */
public final class WorkerRetries {

    private static final Backoff BACKOFF =
            new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));

    private final long deadline;
    private int failures;

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
        Pauses.sleep(Pauses.random(BACKOFF.after(++failures), 0.5));
    }
}
