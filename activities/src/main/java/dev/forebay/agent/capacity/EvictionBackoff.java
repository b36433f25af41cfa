package dev.forebay.agent.capacity;

import dev.forebay.model.Backoff;
import dev.forebay.model.DatasetVersion;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Decides when the workflow of a queued version evicts other versions. It first does so as soon as
 * evictions can free enough space, for example after the last pin of another version. While
 * evictions could still help, it repeats them with growing pauses (10 s to 1 min). The pauses bound
 * the workflow's history. The state is in memory, so a restarted agent tries once more. Safe for
 * use by many threads.
 */
public final class EvictionBackoff {

    private static final Backoff BACKOFF =
            new Backoff(Duration.ofSeconds(10), Duration.ofMinutes(1));

    /** Versions that no longer wait leave entries behind, so the eldest ones are removed. */
    private static final int MOST_REMEMBERED = 10_000;

    private final LongSupplier nanos;
    // In order of last use, and guarded by this.
    private final Map<DatasetVersion, Pause> pauses =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<DatasetVersion, Pause> eldest) {
                    return size() > MOST_REMEMBERED;
                }
            };

    private record Pause(Duration length, long overNanos) {}

    public EvictionBackoff(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /**
     * Returns whether the version's workflow is to evict now, and if so begins the next pause.
     *
     * @param possible whether evictions could free enough space
     */
    public synchronized boolean isDue(DatasetVersion version, boolean possible) {
        if (!possible) {
            pauses.remove(version);
            return false;
        }
        long now = nanos.getAsLong();
        Pause last = pauses.get(version);
        if (last != null && now - last.overNanos < 0) {
            return false;
        }
        Duration next = last == null ? BACKOFF.first() : BACKOFF.following(last.length);
        pauses.put(version, new Pause(next, now + next.toNanos()));
        return true;
    }
}
