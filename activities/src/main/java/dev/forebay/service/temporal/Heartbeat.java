package dev.forebay.service.temporal;

import io.temporal.activity.ActivityExecutionContext;
import io.temporal.client.ActivityCompletionException;
import java.time.Duration;
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
     * Works, with heartbeats from the first moment on.
     *
     * @param details what the next attempt finds, taken anew for each heartbeat
     * @throws ActivityCompletionException if Temporal does not want the work any more
     */
    public static <T> T during(
            ActivityExecutionContext activity, Supplier<?> details, Supplier<T> work) {
        AtomicReference<ActivityCompletionException> unwanted = new AtomicReference<>();
        Thread worker = Thread.currentThread();
        Thread beater =
                Thread.ofVirtual()
                        .name("heartbeat")
                        .start(() -> beat(activity, details, worker, unwanted));
        try {
            T result = work.get();
            stop(beater);
            return result;
        } catch (RuntimeException e) {
            stop(beater);
            ActivityCompletionException reason = unwanted.get();
            // Whatever the interruption became on its way up, that is why.
            throw reason == null ? e : reason;
        } finally {
            if (unwanted.get() != null) {
                Thread.interrupted();
            }
        }
    }

    private static void stop(Thread beater) {
        beater.interrupt();
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
            Thread worker,
            AtomicReference<ActivityCompletionException> unwanted) {
        try {
            while (true) {
                activity.heartbeat(details.get());
                Thread.sleep(INTERVAL);
            }
        } catch (ActivityCompletionException e) {
            unwanted.set(e);
            worker.interrupt();
        } catch (InterruptedException e) {
            // The work is done.
        }
    }
}
