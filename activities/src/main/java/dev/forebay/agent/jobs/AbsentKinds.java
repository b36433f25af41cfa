package dev.forebay.agent.jobs;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Kinds that the API server says it has none of. It says so for a moment when it starts: it answers
 * before it has found what custom resources there are. So that is believed when it has been so for
 * a while. Safe for use by many threads.
 */
final class AbsentKinds {

    static final Duration BELIEVED_AFTER = Duration.ofMinutes(10);

    private final LongSupplier nanos;
    // All guarded by this.
    private final Set<Kind> seen = new HashSet<>();
    private final Map<Kind, Long> since = new HashMap<>();
    private final Map<Kind, Long> lastly = new HashMap<>();

    AbsentKinds(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** A kind is there. */
    synchronized void isThere(Kind kind) {
        seen.add(kind);
        since.remove(kind);
        lastly.remove(kind);
    }

    /** A kind is not there; whether that is to be believed. */
    synchronized boolean isGone(Kind kind) {
        long now = nanos.getAsLong();
        Long last = lastly.put(kind, now);
        if (last != null && now - last > BELIEVED_AFTER.toNanos()) {
            // What was said so long ago says nothing of the time between.
            since.remove(kind);
        }
        boolean believed = now - since.computeIfAbsent(kind, k -> now) >= BELIEVED_AFTER.toNanos();
        if (believed) {
            seen.remove(kind);
        }
        return believed;
    }

    /** The API server did not answer: it may have been started anew. */
    synchronized void noAnswer() {
        since.clear();
        lastly.clear();
    }

    /** Whether a kind was there, and is not known to be gone. */
    synchronized boolean wasThere(Kind kind) {
        return seen.contains(kind);
    }
}
