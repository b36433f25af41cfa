package dev.forebay.control.temporal;

import dev.forebay.model.Backoff;
import dev.forebay.thread.CatchAll;
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

    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    private final Backoff backoff;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("chores").factory());

    public StartupTasks(Duration firstPause) {
        this.backoff = new Backoff(firstPause, LONGEST_PAUSE);
    }

    /**
     * Queues a task.
     *
     * @param what the name of the task in the log
     */
    public void add(String what, Runnable task) {
        clock.execute(() -> attempt(what, task, 1));
    }

    private void attempt(String what, Runnable task, int nth) {
        boolean _ = CatchAll.run(task::run, e -> failed(what, task, nth, e));
    }

    private void failed(String what, Runnable task, int nth, Throwable e) {
        if (clock.isShutdown()) {
            return;
        }
        if (nth == MOST_TRIES) {
            LOG.warnf(e, "A startup task failed, and runs again at the next start: %s", what);
            return;
        }
        LOG.warnf("A startup task failed, and is retried later: %s: %s", what, e.getMessage());
        var _ =
                clock.schedule(
                        () -> attempt(what, task, nth + 1),
                        backoff.after(nth).toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    /** Starts no further attempts. */
    public void stop() {
        clock.shutdownNow();
    }
}
