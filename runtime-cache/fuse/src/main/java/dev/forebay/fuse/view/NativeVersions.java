package dev.forebay.fuse.view;

import dev.forebay.model.DatasetVersion;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Which versions are native over this process's packs, and which of them goes when room is needed:
 * the one that has been so for longest, for nobody is told of what is read in it. Safe for use by
 * many threads.
 */
final class NativeVersions {

    /** How long a version stays on demand after its room was needed. */
    static final Duration REST = Duration.ofMinutes(10);

    /** How long to see whether it was enough, before another one has to go. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;

    // Guarded by this.
    private long nextYield;

    /** Oldest first; whether the packs were ever known to be whole. */
    private final Map<DatasetVersion, Boolean> natives = new LinkedHashMap<>();

    private final Map<DatasetVersion, Long> restUntil = new HashMap<>();

    NativeVersions(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.nextYield = nanoTime.getAsLong();
    }

    /** Forgets all versions but these. */
    synchronized void retain(Collection<DatasetVersion> versions) {
        natives.keySet().retainAll(versions);
        restUntil.keySet().retainAll(versions);
    }

    /** Whether a version may become native. */
    synchronized boolean mayBeNative(DatasetVersion version) {
        Long until = restUntil.get(version);
        return until == null || until - nanoTime.getAsLong() <= 0;
    }

    /**
     * A version is native.
     *
     * @param whole whether its packs are known to be here as a whole
     * @return whether that was ever known; else it was attached by a predecessor
     */
    synchronized boolean isNative(DatasetVersion version, boolean whole) {
        return natives.merge(version, whole, Boolean::logicalOr);
    }

    /** Whether the packs of a version that is native were ever known to be whole. */
    synchronized boolean isKnownWhole(DatasetVersion version) {
        return natives.getOrDefault(version, false);
    }

    /** A version is native no more. */
    synchronized void remove(DatasetVersion version) {
        natives.remove(version);
    }

    /** The version that has to make room now, if one does. */
    synchronized Optional<DatasetVersion> toYield() {
        long now = nanoTime.getAsLong();
        Optional<DatasetVersion> oldest =
                natives.keySet().stream().filter(_ -> now - nextYield >= 0).findFirst();
        oldest.ifPresent(
                version -> {
                    natives.remove(version);
                    restUntil.put(version, now + REST.toNanos());
                    nextYield = now + PATIENCE.toNanos();
                });
        return oldest;
    }
}
