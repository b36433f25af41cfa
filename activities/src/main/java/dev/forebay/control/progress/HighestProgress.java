package dev.forebay.control.progress;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Residency.Filling;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the reported progress of each fill from decreasing.
 *
 * <p>A progress combines parts of different moments. The workflow may not know yet that a batch has
 * ended, a retried attempt counts again, and the catalogue lags behind. Keeps the fills that were
 * requested last. Thread-safe.
 */
final class HighestProgress {

    private static final int MOST = 10_000;

    private final Map<Key, Mark> marks =
            new LinkedHashMap<>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Key, Mark> eldest) {
                    return size() > MOST;
                }
            };

    private record Key(DatasetVersion version, RegionName region, Instant since) {}

    private record Mark(long bytes, long objects) {}

    /** Returns the progress, raised to the highest values that were reported for the fill. */
    RegionProgress raised(DatasetVersion version, RegionProgress seen) {
        Filling filling = seen.residency().filling();
        if (filling == null) {
            return seen;
        }
        Key key = new Key(version, seen.residency().region(), filling.since());
        synchronized (marks) {
            @Nullable Mark before = marks.get(key);
            RegionProgress reported =
                    before == null ? seen : seen.atLeast(before.bytes(), before.objects());
            marks.put(key, new Mark(reported.bytes(), reported.objects()));
            return reported;
        }
    }
}
