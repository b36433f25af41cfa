package dev.forebay.worker.fill;

import dev.forebay.lake.LakeEvents;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * When the next request may go to the lake: this worker's share of the region's requests a second,
 * and less while the lake throttles. Demand goes before prefetch, otherwise the first come is the
 * first served.
 *
 * <p>Repeated attempts do not wait here, they have pauses of their own; but they use up turns, of a
 * second at most. Safe for use by many threads.
 */
public final class LakePace implements LakeEvents {

    /** Turns that were not taken in this time are not lost: timers are not exact. */
    private static final long SLACK_NANOS = 50_000_000L;

    /**
     * Hundreds of attempts may fail at a rate of one a second. Who comes later does not wait for
     * all of these turns: by then the rate may be another one.
     */
    private static final long MOST_AHEAD_NANOS = 1_000_000_000L;

    private static final double NANOS = 1e9;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Waiter> waiters = new ArrayDeque<>();
    private final LongAdder throttled = new LongAdder();
    private final double regionPerSecond;
    private final AdaptiveRate rate;
    private long nextNanos;

    /**
     * Begins with the whole region's rate.
     *
     * @param regionPerSecond what all workers of the region together may send
     * @throws ForebayException {@code INVALID_ARGUMENT} if it is less than 1
     */
    public LakePace(int regionPerSecond) {
        if (regionPerSecond < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.lake.requests-per-second is %d: it must be at least 1"
                            .formatted(regionPerSecond));
        }
        long now = System.nanoTime();
        this.regionPerSecond = regionPerSecond;
        this.rate = new AdaptiveRate(regionPerSecond, now);
        this.nextNanos = now;
    }

    /**
     * From now on so many workers share the region's rate. If none is known, as when etcd has lost
     * all registrations, the share stays: the others are likely there still.
     */
    public void shareAmong(int workers) {
        if (workers < 1) {
            return;
        }
        lock.lock();
        try {
            rate.ceiling(regionPerSecond / workers, System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a turn.
     *
     * @param unwanted looked at before a turn is taken, which is then left to others
     * @return whether a turn was taken
     * @throws ForebayException {@code UNAVAILABLE} if there was none in time or the thread was
     *     interrupted
     */
    boolean acquire(Urgency urgency, Duration timeout, BooleanSupplier unwanted) {
        lock.lock();
        Waiter me = new Waiter(urgency, lock.newCondition());
        waiters.add(me);
        try {
            return await(me, System.nanoTime() + timeout.toNanos(), unwanted);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted while waiting to ask the lake");
        } finally {
            waiters.remove(me);
            signalNext();
            lock.unlock();
        }
    }

    private boolean await(Waiter me, long deadlineNanos, BooleanSupplier unwanted)
            throws InterruptedException {
        while (true) {
            if (unwanted.getAsBoolean()) {
                return false;
            }
            long now = System.nanoTime();
            boolean next = next() == me;
            if (next && nextNanos - now <= 0) {
                take(now);
                return true;
            }
            if (deadlineNanos - now <= 0) {
                throw unavailable("no turn to ask the lake in time");
            }
            if (next) {
                me.turn.awaitNanos(Math.min(deadlineNanos - now, nextNanos - now));
            } else {
                // Somebody else has become urgent meanwhile, and may not know that it is his turn.
                signalNext();
                me.turn.awaitNanos(deadlineNanos - now);
            }
        }
    }

    private void take(long now) {
        long earliest = now - SLACK_NANOS;
        long from = nextNanos - earliest < 0 ? earliest : nextNanos;
        nextNanos = from + (long) (NANOS / rate.at(now));
    }

    private @Nullable Waiter next() {
        for (Waiter waiter : waiters) {
            if (waiter.urgency.demanded()) {
                return waiter;
            }
        }
        return waiters.peek();
    }

    private void signalNext() {
        Waiter next = next();
        if (next != null) {
            next.turn.signal();
        }
    }

    @Override
    public void attemptFailed(boolean wasThrottled) {
        lock.lock();
        try {
            long now = System.nanoTime();
            if (wasThrottled) {
                throttled.increment();
                rate.throttled(now);
            }
            if (nextNanos - now < MOST_AHEAD_NANOS) {
                take(now);
            }
        } finally {
            lock.unlock();
        }
    }

    /** How many requests a second this worker allows itself now. */
    public double perSecond() {
        lock.lock();
        try {
            return rate.at(System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** How often the lake has throttled. */
    public long throttled() {
        return throttled.sum();
    }

    /** How many wait at this moment. */
    int waiting() {
        lock.lock();
        try {
            return waiters.size();
        } finally {
            lock.unlock();
        }
    }

    private static ForebayException unavailable(String why) {
        return new ForebayException(ErrorCode.UNAVAILABLE, why);
    }

    private static final class Waiter {

        final Urgency urgency;
        final Condition turn;

        Waiter(Urgency urgency, Condition turn) {
            this.urgency = urgency;
            this.turn = turn;
        }
    }
}
