package dev.forebay.fuse.nodecache;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How often something of a pack was found wrong, and the mark of that in its {@link PackMap}: it
 * tells a successor that views which it finds may show what is mended on the disk by now.
 *
 * <p>The mark is there before what is wrong is dropped, and until no view is left that is older. It
 * is not synced, for no view outlives the kernel. Its monitor is taken inside the chunks' locks,
 * and no lock inside it. Safe for use by many threads.
 */
final class FoundWrong {

    private final PackMap map;
    private final AtomicLong times;

    /** Changed under the monitor. */
    private volatile boolean marked;

    FoundWrong(PackMap map) {
        this.map = map;
        this.marked = map.wasHarmed();
        this.times = new AtomicLong(marked ? 1 : 0);
    }

    /** Counts it, and leaves the mark. */
    synchronized void add() throws IOException {
        times.incrementAndGet();
        if (!marked) {
            map.markHarmed(true);
            marked = true;
        }
    }

    /** How often, of what earlier processes left marked only once. */
    long times() {
        return times.get();
    }

    /** Whether views may be there that show it. */
    boolean isMarked() {
        return marked;
    }

    /** No view is left that was there when something had been found wrong so often. */
    synchronized void viewsAreRenewed(long timesThen) throws IOException {
        if (marked && times.get() == timesThen) {
            map.markHarmed(false);
            marked = false;
        }
    }
}
