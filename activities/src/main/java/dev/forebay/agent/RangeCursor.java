package dev.forebay.agent;

import dev.forebay.workflows.activity.RegionActivities.WarmProgress;
import java.util.HashMap;
import java.util.Map;

/**
 * What of a range of chunks is finished, in any order, boiled down to what lies below the lowest
 * that is not. Safe for use by many threads.
 */
final class RangeCursor {

    private final Map<Long, Finished> above = new HashMap<>();
    private WarmProgress progress;

    RangeCursor(WarmProgress begun) {
        this.progress = begun;
    }

    /**
     * What a chunk holds.
     *
     * @param objects files whose last byte lies in it
     */
    private record Finished(long liveBytes, long objects) {}

    synchronized void finished(long ordinal, long fromLake, long liveBytes, long objects) {
        above.put(ordinal, new Finished(liveBytes, objects));
        long next = progress.next();
        long bytes = progress.bytesVerified();
        long files = progress.objects();
        for (Finished lowest = above.remove(next); lowest != null; lowest = above.remove(next)) {
            bytes += lowest.liveBytes();
            files += lowest.objects();
            next++;
        }
        progress = new WarmProgress(next, progress.bytesFromLake() + fromLake, bytes, files);
    }

    /** What a heartbeat carries. */
    synchronized WarmProgress progress() {
        return progress;
    }
}
