package dev.forebay.service.temporal;

import io.temporal.activity.ActivityExecutionContext;
import io.temporal.client.ActivityCompletionException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Lets an activity work in one piece while its heartbeats go on beside it.
 *
 * <p>When Temporal does not want the work any more, because it was cancelled or its time is over,
 * the working thread is interrupted.
 */
public final class Heartbeat {

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private Heartbeat() {}

    /**
     * Works, with a heartbeat after each second; work that is done sooner has none.
     *
     * @param details what the next attempt finds, taken anew for each heartbeat
     * @throws ActivityCompletionException if Temporal does not want the work any more
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
            // Whatever the interruption became on its way up, that is why.
            throw reason == null ? e : reason;
        } finally {
            if (unwanted.get() != null) {
                Thread.interrupted();
            }
        }
    }

    /** A heartbeat on its way is waited for: to interrupt it would make the client complain. */
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
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
    }
}
