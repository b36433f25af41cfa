package dev.forebay.worker.fill;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of permits with a bounded queue. Demand goes before prefetch, and otherwise the
 * queue is first in, first out.
 *
 * <p>The urgency is read when a permit becomes free: a queued prefetch moves forward once a reader
 * waits for it. A release scans the queue, which takes a short time compared with the work that
 * needs a permit. Safe for use by many threads.
 */
public final class Permits {

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Waiter> waiters = new ArrayDeque<>();
    private final String what;
    private final int queueLimit;
    private int free;

    /**
     * Creates {@code count} permits.
     *
     * @param what the limited resource and the setting that limits it, for error messages
     * @param queueLimit the number of callers that may wait
     */
    public Permits(String what, int count, int queueLimit) {
        this.what = what;
        this.free = count;
        this.queueLimit = queueLimit;
    }

    /**
     * Takes a permit, and waits until one is free.
     *
     * @throws ForebayException {@code UNAVAILABLE} if the queue is full, after the timeout, or
     *     after an interrupt
     */
    void acquire(Urgency urgency, Duration timeout) {
        lock.lock();
        try {
            if (free > 0) {
                free--;
                return;
            }
            if (waiters.size() >= queueLimit) {
                throw unavailable(
                        "%d other requests already wait for %s: retry, or raise this setting"
                                .formatted(waiters.size(), what));
            }
            await(new Waiter(urgency, lock.newCondition()), timeout.toNanos());
        } finally {
            lock.unlock();
        }
    }

    void release() {
        lock.lock();
        try {
            Waiter next = next();
            if (next == null) {
                free++;
            } else {
                next.granted = true;
                next.turn.signal();
            }
        } finally {
            lock.unlock();
        }
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

    private void await(Waiter waiter, long nanos) {
        waiters.add(waiter);
        try {
            while (!waiter.granted) {
                if (nanos <= 0) {
                    throw unavailable(
                            "no permit for %s in time: retry, or raise this setting"
                                    .formatted(what));
                }
                nanos = waiter.turn.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            if (!waiter.granted) {
                throw unavailable("interrupted while waiting for %s: retry".formatted(what));
            }
        } finally {
            if (!waiter.granted) {
                waiters.remove(waiter);
            }
        }
    }

    private @Nullable Waiter next() {
        Iterator<Waiter> queue = waiters.iterator();
        while (queue.hasNext()) {
            Waiter waiter = queue.next();
            if (waiter.urgency.demanded()) {
                queue.remove();
                return waiter;
            }
        }
        return waiters.poll();
    }

    private static ForebayException unavailable(String why) {
        return new ForebayException(ErrorCode.UNAVAILABLE, why);
    }

    private static final class Waiter {
        private final Urgency urgency;
        private final Condition turn;
        private boolean granted;

        Waiter(Urgency urgency, Condition turn) {
            this.urgency = urgency;
            this.turn = turn;
        }
    }
}
