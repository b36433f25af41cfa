package dev.forebay.control.temporal;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Runs start-up tasks in the background, one after the other. Retries a failed task with
 * exponential backoff. A failed task does not delay others. Thread-safe.
 */
public final class StartupTasks {

    private static final Logger LOG = Logger.getLogger(StartupTasks.class);

    /** With a first pause of 5 s, the last attempt is 43 minutes after the first. */
    static final int MOST_TRIES = 10;

    private final Duration firstPause;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("chores").factory());

    public StartupTasks(Duration firstPause) {
        this.firstPause = firstPause;
    }

    /**
     * Queues a task.
     *
     * @param what the name of the task in the log
     */
    public void add(String what, Runnable chore) {
        clock.execute(() -> attempt(what, chore, 1));
    }

    private void attempt(String what, Runnable chore, int nth) {
        try {
            chore.run();
        } catch (RuntimeException | Error e) {
            if (clock.isShutdown()) {
                return;
            }
            if (nth == MOST_TRIES) {
                LOG.warnf(e, "Not done until the next start: %s", what);
                return;
            }
            LOG.warnf("Tried again later: %s: %s", what, e.getMessage());
            long pause = firstPause.toMillis() << (nth - 1);
            var _ =
                    clock.schedule(
                            () -> attempt(what, chore, nth + 1), pause, TimeUnit.MILLISECONDS);
        }
    }

    /** Starts no further attempts. */
    public void stop() {
        clock.shutdownNow();
    }
}
