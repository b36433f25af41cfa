package dev.forebay.control.progress;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares one read among all callers of a key. Each caller states how old the value may be. Callers
 * also share an UNAVAILABLE failure, so that they do not wait one after the other. No caller gets
 * an older value than an earlier caller. Thread-safe.
 */
final class SharedReads<K, V> {

    private final Function<K, V> reader;
    private final long keptNanos;
    private final LongSupplier nanos;
    // Guarded by this. In access order: the key that was read last is last.
    private final LinkedHashMap<K, Reading> readings = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param reader may block; one thread at a time calls it for each key
     * @param kept how long an unused value is kept, and how old a recent value may be
     * @param nanos a clock like {@link System#nanoTime}
     */
    SharedReads(Function<K, V> reader, Duration kept, LongSupplier nanos) {
        this.reader = reader;
        this.keptNanos = kept.toNanos();
        this.nanos = nanos;
    }

    /** Returns a value that was read after this call began. */
    V fresh(K key) {
        long now = nanos.getAsLong();
        return since(key, now, now);
    }

    /** Returns a value that is at most {@code kept} old. */
    V recent(K key) {
        long now = nanos.getAsLong();
        return since(key, now, now - keptNanos);
    }

    /** Returns the number of keys that are kept. */
    synchronized int size() {
        return readings.size();
    }

    private V since(K key, long now, long earliest) {
        Reading reading = enter(key, now);
        try {
            return reading.since(earliest);
        } finally {
            leave(reading);
        }
    }

    private synchronized Reading enter(K key, long now) {
        Reading reading = readings.computeIfAbsent(key, Reading::new);
        reading.askers++;
        reading.askedAt = now;
        while (isIdle(readings.firstEntry().getValue(), now)) {
            readings.pollFirstEntry();
        }
        return reading;
    }

    private synchronized void leave(Reading reading) {
        reading.askers--;
    }

    private boolean isIdle(Reading eldest, long now) {
        return eldest.askers == 0 && now - eldest.askedAt > keptNanos;
    }

    private final class Reading {
        private final K key;
        // SharedReads.this guards these two fields, and this object the others.
        private int askers;
        private long askedAt;
        private long beganAt;
        private @Nullable Supplier<V> outcome;

        private Reading(K key) {
            this.key = key;
        }

        private synchronized V since(long earliest) {
            Supplier<V> known = outcome;
            if (known == null || beganAt - earliest < 0) {
                long began = nanos.getAsLong();
                known = read();
                outcome = known;
                beganAt = began;
            }
            return known.get();
        }

        private Supplier<V> read() {
            try {
                V value = reader.apply(key);
                return () -> value;
            } catch (ForebayException failure) {
                if (failure.code() != ErrorCode.UNAVAILABLE) {
                    throw failure;
                }
                return () -> {
                    throw failure;
                };
            }
        }
    }
}
