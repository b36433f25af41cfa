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

/** For how long a call waits: so long that its caller still hears why it was in vain. */
final class Patience {

    /** Something that can be asked for, and changes by itself. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws IOException;
    }

    /** Nobody says when a mount appears; to ask costs microseconds. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * What is left of a caller's time to hear the answer, at most; and as a part of it. A node that
     * has just started answers for all its pods at once, beside all else that starts.
     */
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int ANSWER_PART = 4;

    private final long begin = System.nanoTime();
    private final long nanos;
    private final BooleanSupplier inVain;

    /**
     * @param most for how long whatever the caller has time for
     * @param deadline the caller's, if there is one
     * @param inVain whether the caller has gone, or the driver stops
     */
    Patience(Duration most, @Nullable Deadline deadline, BooleanSupplier inVain) {
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

    /** When somebody who has not looked at it is to be answered without him: a little later. */
    Duration last() {
        return Duration.ofNanos(Math.max(0, nanos) + Math.min(nanos, ANSWER_NANOS) / ANSWER_PART);
    }

    boolean isOver() {
        return System.nanoTime() - begin >= nanos || inVain.getAsBoolean();
    }

    /**
     * Waits for a condition.
     *
     * @param most for how long at most, though there may be more time
     * @param otherwise what to say if it does not come about
     * @throws ForebayException {@code UNAVAILABLE} then
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
     * Waits for a condition that need not come about.
     *
     * @param most for how long; half of the time that there is must be left at least
     */
    void awaitOr(Condition condition, Duration most) throws IOException {
        long from = System.nanoTime();
        long wait = Math.min(most.toNanos(), (nanos - (from - begin)) / 2);
        while (!condition.holds() && System.nanoTime() - from < wait && !isOver()) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
