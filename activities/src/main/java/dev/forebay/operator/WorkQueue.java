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
 * When to look at what: each key is due once, at the earliest time that anybody wants, and nobody
 * is given a key that somebody else still has. Safe for use by many threads; as large as there are
 * different keys.
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

    /** Has a key looked at after this time, or earlier if it is due earlier. */
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
     * Waits for a key that is due, which is then the caller's until {@link #done}; empty when
     * closed.
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

    /** Gives a key back. */
    void done(K key) {
        lock.lock();
        try {
            taken.remove(key);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets everybody go who waits. */
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
