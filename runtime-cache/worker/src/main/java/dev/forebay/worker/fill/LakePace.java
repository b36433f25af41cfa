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
 * Paces lake requests to this worker's share of the region's rate, and reduces the rate while the
 * lake throttles. Demand goes before prefetch, and otherwise the queue is first in, first out.
 *
 * <p>Retries do not wait here, because they have a backoff of their own. They still count against
 * the rate, for at most one second ahead. Safe for use by many threads.
 */
public final class LakePace implements LakeEvents {

    /** Requests missed within this time can be made up: timers wake up late. */
    private static final long SLACK_NANOS = 50_000_000L;

    /**
     * Hundreds of attempts may fail while the rate is one per second. New requests do not wait for
     * all of them, because the rate may soon be higher.
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
     * Starts with the rate of the whole region.
     *
     * @param regionPerSecond the rate for all workers of the region together, at least 1
     */
    public LakePace(int regionPerSecond) {
        long now = System.nanoTime();
        this.regionPerSecond = regionPerSecond;
        this.rate = new AdaptiveRate(regionPerSecond, now);
        this.nextNanos = now;
    }

    /**
     * Divides the region's rate among this many workers. With 0 the share stays: etcd may have lost
     * all registrations while the other workers still run.
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
     * Waits until a request may be sent.
     *
     * @param unwanted checked before a request is counted; if true, the slot stays free for others
     * @return whether the caller may send a request
     * @throws ForebayException {@code UNAVAILABLE} after the timeout or an interrupt
     */
    boolean acquire(Urgency urgency, Duration timeout, BooleanSupplier unwanted) {
        lock.lock();
        Waiter me = new Waiter(urgency, lock.newCondition());
        waiters.add(me);
        try {
            return await(me, System.nanoTime() + timeout.toNanos(), unwanted);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted while waiting for a request to the lake: retry");
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
                throw unavailable(
                        "no request to the lake was allowed in time: retry, or raise forebay.lake.requests-per-second");
            }
            if (next) {
                me.turn.awaitNanos(Math.min(deadlineNanos - now, nextNanos - now));
            } else {
                // Another waiter may have become urgent without a signal.
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

    /** Returns the current rate of this worker, in requests per second. */
    public double perSecond() {
        lock.lock();
        try {
            return rate.at(System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many requests the lake has throttled. */
    public long throttled() {
        return throttled.sum();
    }

    /** Returns the current length of the queue. */
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
