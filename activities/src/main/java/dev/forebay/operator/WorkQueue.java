package dev.forebay.operator;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * A delaying queue without duplicates. Each key is due once, at the earliest requested time. A key
 * that one thread has taken is given to no other. Safe for use by many threads. Its size is bounded
 * by the number of different keys.
 */
final class WorkQueue<K> {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final LongSupplier nanoTime;

    // Guarded by lock.
    private final Map<K, Long> due = new HashMap<>();
    private final Set<K> taken = new HashSet<>();
    private boolean closed;

    /**
     * @param nanoTime as {@link System#nanoTime}
     */
    WorkQueue(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Makes a key due after this delay, unless it is due earlier. */
    void add(K key, Duration delay) {
        long at = nanoTime.getAsLong() + delay.toNanos();
        lock.lock();
        try {
            due.merge(key, at, (one, other) -> one - other <= 0 ? one : other);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a due key, which then belongs to the caller until {@link #done}. Empty when closed.
     */
    Optional<K> take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed) {
                Optional<K> next = earliest();
                long wait =
                        next.map(key -> due.getOrDefault(key, 0L) - nanoTime.getAsLong())
                                .orElse(Long.MAX_VALUE);
                if (wait <= 0) {
                    K key = next.orElseThrow();
                    due.remove(key);
                    taken.add(key);
                    return next;
                }
                var _ = changed.awaitNanos(Math.min(wait, TimeUnit.HOURS.toNanos(1)));
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private Optional<K> earliest() {
        long now = nanoTime.getAsLong();
        return due.entrySet().stream()
                .filter(entry -> !taken.contains(entry.getKey()))
                .min((one, other) -> Long.compare(one.getValue() - now, other.getValue() - now))
                .map(Map.Entry::getKey);
    }

    /** Ends the caller's ownership of a key. */
    void done(K key) {
        lock.lock();
        try {
            taken.remove(key);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes all waiting threads. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
