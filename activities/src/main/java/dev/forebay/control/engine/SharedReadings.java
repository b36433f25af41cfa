package dev.forebay.control.engine;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads once for all who ask for the same: each says how old what he is told may be. That nobody
 * answers is told to as many, so that they do not wait for one another. Nobody is told what is
 * older than what somebody was told before. Safe for use by many threads.
 */
final class SharedReadings<K, V> {

    private final Function<K, V> reader;
    private final long keptNanos;
    private final LongSupplier nanos;
    // Guarded by this; who was asked for last is last.
    private final LinkedHashMap<K, Reading> readings = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param reader blocks; is called by one thread at a time for each key
     * @param kept how long what nobody asks for is kept; as old may be what one is told
     * @param nanos a clock as {@link System#nanoTime}
     */
    SharedReadings(Function<K, V> reader, Duration kept, LongSupplier nanos) {
        this.reader = reader;
        this.keptNanos = kept.toNanos();
        this.nanos = nanos;
    }

    /** As it is now, or was while the caller waited. */
    V fresh(K key) {
        long now = nanos.getAsLong();
        return since(key, now, now);
    }

    /** As it was at most {@code kept} ago. */
    V recent(K key) {
        long now = nanos.getAsLong();
        return since(key, now, now - keptNanos);
    }

    /** How many are kept. */
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
        // These two are guarded by all of the readings, the others by this one.
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
