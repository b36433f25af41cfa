package dev.forebay.control.engine;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads once for all who ask for the same: each says how old what he is told may be. A failure is
 * told to as many, so that they do not wait for one another where nobody answers. Nobody is told
 * what is older than what somebody was told before. Safe for use by many threads.
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
        return reading(key).since(nanos.getAsLong());
    }

    /** As it was at most {@code kept} ago. */
    V recent(K key) {
        return reading(key).since(nanos.getAsLong() - keptNanos);
    }

    /** How many are kept. */
    synchronized int size() {
        return readings.size();
    }

    private synchronized Reading reading(K key) {
        long now = nanos.getAsLong();
        Reading reading = readings.computeIfAbsent(key, Reading::new);
        reading.askedAt = now;
        while (isIdle(readings.firstEntry(), now)) {
            readings.pollFirstEntry();
        }
        return reading;
    }

    private boolean isIdle(Map.Entry<K, Reading> eldest, long now) {
        return now - eldest.getValue().askedAt > keptNanos;
    }

    private final class Reading {
        private final K key;
        private long askedAt;
        private long beganAt;
        private @Nullable Supplier<V> outcome;

        private Reading(K key) {
            this.key = key;
        }

        private synchronized V since(long earliest) {
            Supplier<V> known = outcome;
            if (known == null || beganAt - earliest < 0) {
                beganAt = nanos.getAsLong();
                known = read();
                outcome = known;
            }
            return known.get();
        }

        private Supplier<V> read() {
            try {
                V value = reader.apply(key);
                return () -> value;
            } catch (RuntimeException failure) {
                return () -> {
                    throw failure;
                };
            }
        }
    }
}
