package dev.forebay.control.engine;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Residency.Filling;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far each filling was seen to be: what is told of one never becomes less.
 *
 * <p>The parts that a progress is put together from are not of one moment: the workflow has not
 * heard yet of a batch that is over, an attempt that begins again counts again, and the catalogue
 * is behind. Safe for use by many threads; remembers the fillings that were asked for last.
 */
final class HighWater {

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

    /** What may be told. */
    RegionProgress raised(DatasetVersion version, RegionProgress seen) {
        Filling filling = seen.residency().filling();
        if (filling == null) {
            return seen;
        }
        Key key = new Key(version, seen.residency().region(), filling.since());
        synchronized (marks) {
            @Nullable Mark before = marks.get(key);
            RegionProgress told =
                    before == null ? seen : seen.atLeast(before.bytes(), before.objects());
            marks.put(key, new Mark(told.bytes(), told.objects()));
            return told;
        }
    }
}
