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
 * A bounded number of permits with a bounded queue, in which demand goes before prefetch and
 * otherwise the first come is the first served.
 *
 * <p>Urgency is looked at when a permit becomes free, so that a waiting prefetch that somebody
 * began to wait for moves forward. Finding the next one walks the queue, which is short compared
 * with what a permit is for. Safe for use by many threads.
 */
public final class Permits {

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Waiter> waiters = new ArrayDeque<>();
    private final String what;
    private final int queueLimit;
    private int free;

    /**
     * Makes {@code count} permits.
     *
     * @param what the thing that is rationed, for the message of a refusal
     * @param queueLimit how many may wait
     */
    public Permits(String what, int count, int queueLimit) {
        this.what = what;
        this.free = count;
        this.queueLimit = queueLimit;
    }

    /**
     * Takes a permit, waiting for it.
     *
     * @throws ForebayException {@code UNAVAILABLE} if too many wait already, none became free in
     *     time, or the thread was interrupted
     */
    void acquire(Urgency urgency, Duration timeout) {
        lock.lock();
        try {
            if (free > 0) {
                free--;
                return;
            }
            if (waiters.size() >= queueLimit) {
                throw unavailable("%d wait for %s already".formatted(waiters.size(), what));
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

    /** How many wait at this moment. */
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
                    throw unavailable("no turn for %s in time".formatted(what));
                }
                nanos = waiter.turn.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            if (!waiter.granted) {
                throw unavailable("interrupted while waiting for " + what);
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
