package dev.forebay.service.temporal;

import io.temporal.activity.ActivityExecutionContext;
import io.temporal.client.ActivityCompletionException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Sends heartbeats beside the work of an activity.
 *
 * <p>When Temporal no longer needs the work, because it was cancelled or timed out, the working
 * thread is interrupted.
 */
public final class Heartbeat {

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private Heartbeat() {}

    /**
     * Runs the work with a heartbeat after each second. Shorter work sends none.
     *
     * @param details what the next attempt gets, read again for each heartbeat
     * @throws ActivityCompletionException if Temporal no longer needs the work
     */
    public static <T> T during(
            ActivityExecutionContext activity, Supplier<?> details, Supplier<T> work) {
        return during(activity, details, INTERVAL, work);
    }

    static <T> T during(
            ActivityExecutionContext activity,
            Supplier<?> details,
            Duration interval,
            Supplier<T> work) {
        AtomicReference<ActivityCompletionException> unwanted = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        Thread worker = Thread.currentThread();
        Runnable beats =
                () -> {
                    try {
                        beat(activity, details, interval, done);
                    } catch (ActivityCompletionException e) {
                        unwanted.set(e);
                        worker.interrupt();
                    }
                };
        Thread beater = Thread.ofVirtual().name("heartbeat").start(beats);
        try {
            try {
                return work.get();
            } finally {
                stop(beater, done);
            }
        } catch (RuntimeException e) {
            ActivityCompletionException reason = unwanted.get();
            // Reports the cause of the interruption, whichever exception the work made of it.
            throw reason == null ? e : reason;
        } finally {
            if (unwanted.get() != null) {
                Thread.interrupted();
            }
        }
    }

    /**
     * Waits for a heartbeat that is being sent, because interrupting it makes the client log an
     * error.
     */
    private static void stop(Thread beater, CountDownLatch done) {
        done.countDown();
        boolean interrupted = false;
        while (beater.isAlive()) {
            try {
                beater.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void beat(
            ActivityExecutionContext activity,
            Supplier<?> details,
            Duration interval,
            CountDownLatch done) {
        try {
            while (!done.await(interval.toNanos(), TimeUnit.NANOSECONDS)) {
                activity.heartbeat(details.get());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("this thread is never interrupted", e);
        }
    }
}
