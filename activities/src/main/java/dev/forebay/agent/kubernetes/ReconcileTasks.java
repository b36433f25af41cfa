package dev.forebay.agent.kubernetes;

import dev.forebay.thread.PeriodicTask;
import java.time.Duration;

/** Creates the tasks that compare the cluster with what it should be. */
final class ReconcileTasks {

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

    private ReconcileTasks() {}

    /**
     * Returns a task that is not started yet. A failed round is repeated after 5 s, or after the
     * pause if that is shorter.
     *
     * @param name of the task, for logs
     */
    static PeriodicTask of(String name, Duration pause, Runnable round) {
        return new PeriodicTask(
                Thread.ofVirtual().name(name),
                pause,
                pause.compareTo(AFTER_FAILURE) < 0 ? pause : AFTER_FAILURE,
                "The %s failed".formatted(name),
                round::run);
    }
}
