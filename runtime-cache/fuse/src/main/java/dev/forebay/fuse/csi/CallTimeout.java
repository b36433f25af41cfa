package dev.forebay.fuse.csi;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.grpc.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The timeout of a call. It ends early enough for the caller to receive the reason. */
final class CallTimeout {

    /** A condition that is polled. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws IOException;
    }

    /** The polling interval. Nothing reports new mounts, and a check takes microseconds. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * The time reserved for the answer: the maximum, and the fraction of the caller's remaining
     * time. A node that has just started answers for all its pods at once, while everything else
     * starts too.
     */
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int ANSWER_PART = 4;

    private final long begin = System.nanoTime();
    private final long nanos;
    private final BooleanSupplier inVain;

    /**
     * @param most the maximum time, even if the caller's deadline is later
     * @param deadline the caller's deadline, if any
     * @param inVain returns whether the caller has gone, or the driver stops
     */
    CallTimeout(Duration most, @Nullable Deadline deadline, BooleanSupplier inVain) {
        this.nanos =
                deadline == null
                        ? most.toNanos()
                        : Math.min(
                                most.toNanos(),
                                beforeAnswer(deadline.timeRemaining(TimeUnit.NANOSECONDS)));
        this.inVain = inVain;
    }

    private static long beforeAnswer(long remaining) {
        return remaining - Math.min(ANSWER_NANOS, remaining / ANSWER_PART);
    }

    /**
     * Returns the time after which a call is answered even if its thread is stuck: a little more
     * than the timeout.
     */
    Duration last() {
        return Duration.ofNanos(Math.max(0, nanos) + Math.min(nanos, ANSWER_NANOS) / ANSWER_PART);
    }

    boolean isOver() {
        return System.nanoTime() - begin >= nanos || inVain.getAsBoolean();
    }

    /**
     * Waits for a condition.
     *
     * @param most a maximum below the remaining time
     * @param otherwise returns the error message if the condition does not become true
     * @throws ForebayException {@code UNAVAILABLE} if the time runs out
     */
    void await(Condition condition, Duration most, Supplier<String> otherwise) throws IOException {
        while (!condition.holds()) {
            if (isOver() || System.nanoTime() - begin >= most.toNanos()) {
                throw new ForebayException(
                        ErrorCode.UNAVAILABLE,
                        String.format(
                                Locale.ROOT,
                                "%s; waited %.1f s",
                                otherwise.get(),
                                (System.nanoTime() - begin) / 1e9));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /**
     * Waits for a condition that may never become true.
     *
     * @param most the maximum wait; at least half of the remaining time is left after it
     */
    void awaitOr(Condition condition, Duration most) throws IOException {
        long from = System.nanoTime();
        long wait = Math.min(most.toNanos(), (nanos - (from - begin)) / 2);
        while (!condition.holds() && System.nanoTime() - from < wait && !isOver()) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
