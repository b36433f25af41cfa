package dev.forebay.thread;

import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats a task on its own thread until it is closed or interrupted, with a pause between two
 * runs. A failed run is logged, and the task runs again. Thread-safe.
 *
 * <p>A random tenth at most is cut from each pause, so that processes that started together do not
 * stay in step.
 */
public final class PeriodicTask implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PeriodicTask.class);
    private static final int JITTER = 10;

    private final Duration pause;
    private final Duration retry;
    private final String failure;
    private final CatchAll.Work task;
    private final Runnable whenEnded;
    private final ShutdownSignal closing = new ShutdownSignal();
    private final Semaphore wakeUps = new Semaphore(0);
    private final Thread thread;

    // Used by the thread only.
    private boolean afterPause;
    private int failures;

    /**
     * Creates a task that is not started yet.
     *
     * @param thread the kind and the name of the thread
     * @param pause between two runs
     * @param failure the log message for a failed run, which says what fails
     */
    public PeriodicTask(Thread.Builder thread, Duration pause, String failure, CatchAll.Work task) {
        this(thread, pause, pause, failure, task);
    }

    /**
     * Creates a task that is not started yet.
     *
     * @param retry the pause after a failed run
     */
    public PeriodicTask(
            Thread.Builder thread,
            Duration pause,
            Duration retry,
            String failure,
            CatchAll.Work task) {
        this(thread, pause, retry, failure, task, () -> {});
    }

    /**
     * Creates a task that is not started yet.
     *
     * @param whenEnded runs on the thread after the last run
     */
    public PeriodicTask(
            Thread.Builder thread,
            Duration pause,
            Duration retry,
            String failure,
            CatchAll.Work task,
            Runnable whenEnded) {
        this.pause = pause;
        this.retry = retry;
        this.failure = failure;
        this.task = task;
        this.whenEnded = whenEnded;
        this.thread = thread.unstarted(this::repeat);
    }

    /** Starts with a run. */
    public PeriodicTask start() {
        thread.start();
        return this;
    }

    /** Starts with a pause. */
    public PeriodicTask startAfterPause() {
        afterPause = true;
        return start();
    }

    private void repeat() {
        try {
            if (afterPause) {
                pause(pause);
            }
            while (!closing.hasBegun()) {
                pause(succeeds() ? pause : retry);
            }
        } catch (InterruptedException end) {
            closing.begin();
        }
        whenEnded.run();
    }

    /** Catches errors, too: no other thread would continue the task. Needs no memory to succeed. */
    private boolean succeeds() throws InterruptedException {
        try {
            task.run();
            failures = 0;
            return true;
        } catch (InterruptedException end) {
            throw end;
        } catch (Throwable e) {
            failures++;
            report(e);
            return false;
        }
    }

    /**
     * Logs a warning for the first, second, fourth, eighth failure in a row, and so on. A stack
     * trace is for the first one of a defect.
     */
    private void report(Throwable e) {
        try {
            if (Integer.bitCount(failures) > 1 || closing.hasBegun()) {
                LOG.debug("{}", failure, e);
            } else if (failures > 1 || e instanceof ForebayException) {
                LOG.warn("{}; it runs again in {}: {}", failure, Seconds.of(retry), e.getMessage());
            } else {
                LOG.warn("{}; it runs again in {}", failure, Seconds.of(retry), e);
            }
        } catch (Throwable worse) {
            // Memory may be too short for a message. The next run matters more.
        }
    }

    private void pause(Duration most) throws InterruptedException {
        long nanos = most.toNanos();
        try {
            long cut = nanos < JITTER ? 0 : ThreadLocalRandom.current().nextLong(nanos / JITTER);
            boolean _ = wakeUps.tryAcquire(nanos - cut, TimeUnit.NANOSECONDS);
            int _ = wakeUps.drainPermits();
        } catch (Error noMemory) {
            // The next run begins at once.
            Thread.onSpinWait();
        }
    }

    /** Ends the current pause, or omits the next one. */
    public void wake() {
        wakeUps.release();
    }

    /** Returns whether the task has been closed. */
    public boolean isClosing() {
        return closing.hasBegun();
    }

    /**
     * Sleeps within a run.
     *
     * @return true if the task must end, as {@link ShutdownSignal#within}
     */
    public boolean within(Duration rest) {
        return closing.within(rest);
    }

    /** Ends the task after the current run, for which it does not wait. */
    @Override
    public void close() {
        closing.begin();
        wake();
    }

    /** Ends the task, and interrupts the current run. */
    public void interrupt() {
        close();
        thread.interrupt();
    }

    /**
     * Ends the task, and waits for its thread, unless this thread is interrupted.
     *
     * @param most the longest wait
     */
    public void close(Duration most) {
        close();
        try {
            boolean _ = !thread.isAlive() || thread.join(most);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
