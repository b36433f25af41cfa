package dev.forebay.agent.jobs;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Tracks kinds that the API server does not list. An API server that starts answers before it has
 * discovered the custom resources. A kind therefore counts as gone only after it was missing for
 * ten minutes. Safe for use by many threads.
 */
final class AbsentKinds {

    static final Duration BELIEVED_AFTER = Duration.ofMinutes(10);

    private final LongSupplier nanos;
    // All guarded by this.
    private final Set<WorkloadKind> seen = new HashSet<>();
    private final Map<WorkloadKind, Long> since = new HashMap<>();
    private final Map<WorkloadKind, Long> lastAsked = new HashMap<>();

    AbsentKinds(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Records that the API server lists a kind. */
    synchronized void isThere(WorkloadKind kind) {
        seen.add(kind);
        since.remove(kind);
        lastAsked.remove(kind);
    }

    /**
     * Records that the API server does not list a kind. Returns whether the kind counts as gone.
     */
    synchronized boolean isGone(WorkloadKind kind) {
        long now = nanos.getAsLong();
        Long last = lastAsked.put(kind, now);
        if (last != null && now - last > BELIEVED_AFTER.toNanos()) {
            // An answer that is so old proves nothing about the time since.
            since.remove(kind);
        }
        boolean believed = now - since.computeIfAbsent(kind, k -> now) >= BELIEVED_AFTER.toNanos();
        if (believed) {
            seen.remove(kind);
        }
        return believed;
    }

    /** Records that the API server did not answer. It may have restarted. */
    synchronized void noAnswer() {
        since.clear();
        lastAsked.clear();
    }

    /** Returns whether a kind was listed before and does not count as gone. */
    synchronized boolean wasThere(WorkloadKind kind) {
        return seen.contains(kind);
    }
}
