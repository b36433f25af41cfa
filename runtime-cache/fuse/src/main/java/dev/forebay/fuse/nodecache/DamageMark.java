package dev.forebay.fuse.nodecache;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts how often damage was found in a pack, and keeps a mark of it in the {@link PackMap}. The
 * mark tells a successor that existing views may still show bytes that were repaired on disk.
 *
 * <p>The mark is written before damaged blocks are dropped, and removed when no older view is left.
 * It is not synced, because no view outlives the kernel. Its monitor is taken inside the chunks'
 * locks, and no lock is taken inside it. Thread-safe.
 */
final class DamageMark {

    private final PackMap map;
    private final AtomicLong times;

    /** Changed under the monitor. */
    private volatile boolean marked;

    DamageMark(PackMap map) {
        this.map = map;
        this.marked = map.wasHarmed();
        this.times = new AtomicLong(marked ? 1 : 0);
    }

    /** Counts damage, and writes the mark. */
    synchronized void add() throws IOException {
        times.incrementAndGet();
        if (!marked) {
            map.markHarmed(true);
            marked = true;
        }
    }

    /** Returns the count. Damage that earlier processes marked counts once. */
    long times() {
        return times.get();
    }

    /** Returns whether views may exist that show damaged bytes. */
    boolean isMarked() {
        return marked;
    }

    /**
     * Removes the mark if no damage was found since the count was {@code timesThen}: all views from
     * before have been replaced.
     */
    synchronized void viewsAreRenewed(long timesThen) throws IOException {
        if (marked && times.get() == timesThen) {
            map.markHarmed(false);
            marked = false;
        }
    }
}
