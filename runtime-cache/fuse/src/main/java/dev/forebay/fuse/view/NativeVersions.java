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
 * Tracks the versions with native views over this process's packs, and chooses which one to give up
 * when space is needed. It chooses the oldest native view, because the pod does not see reads in
 * native views. Thread-safe.
 */
final class NativeVersions {

    /** The time for which a version stays on demand after its space was needed. */
    static final Duration REST = Duration.ofMinutes(10);

    /** The time to see whether giving up one version was enough, before the next one. */
    static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;

    // Guarded by this.
    private long nextYield;

    /**
     * The native versions, oldest first, with whether their packs were ever known to be complete.
     */
    private final Map<DatasetVersion, Boolean> natives = new LinkedHashMap<>();

    private final Map<DatasetVersion, Long> restUntil = new HashMap<>();

    NativeVersions(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.nextYield = nanoTime.getAsLong();
    }

    /** Forgets all other versions. */
    synchronized void retain(Collection<DatasetVersion> versions) {
        natives.keySet().retainAll(versions);
        restUntil.keySet().retainAll(versions);
    }

    /** Returns whether a version may become native. */
    synchronized boolean mayBeNative(DatasetVersion version) {
        Long until = restUntil.get(version);
        return until == null || until - nanoTime.getAsLong() <= 0;
    }

    /**
     * Records that a version is native.
     *
     * @param whole whether its packs are known to be complete on this node
     * @return whether they were ever known to be complete; if not, a predecessor attached the view
     */
    synchronized boolean isNative(DatasetVersion version, boolean whole) {
        return natives.merge(version, whole, Boolean::logicalOr);
    }

    /** Returns whether the packs of a native version were ever known to be complete. */
    synchronized boolean isKnownWhole(DatasetVersion version) {
        return natives.getOrDefault(version, false);
    }

    /** Records that a version is no longer native. */
    synchronized void remove(DatasetVersion version) {
        natives.remove(version);
    }

    /** Chooses the version that must give up its native view now, if any. */
    synchronized Optional<DatasetVersion> toYield() {
        long now = nanoTime.getAsLong();
        Optional<DatasetVersion> oldest =
                natives.keySet().stream().filter(_ -> now - nextYield >= 0).findFirst();
        oldest.ifPresent(
                version -> {
                    natives.remove(version);
                    restUntil.put(version, now + REST.toNanos());
                    nextYield = now + TIMEOUT.toNanos();
                });
        return oldest;
    }
}
