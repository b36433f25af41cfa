package dev.forebay.agent.fill;

import dev.forebay.workflows.activity.RegionActivities.WarmProgress;
import java.util.HashMap;
import java.util.Map;

/**
 * Tracks the progress of a range of chunks that finish in any order: the chunks below the lowest
 * unfinished one. Safe for use by many threads.
 */
public final class RangeCursor {

    private final Map<Long, Finished> above = new HashMap<>();
    private WarmProgress progress;

    public RangeCursor(WarmProgress begun) {
        this.progress = begun;
    }

    /**
     * The content of a finished chunk.
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

    /** Returns the payload of a heartbeat. */
    public synchronized WarmProgress progress() {
        return progress;
    }
}
