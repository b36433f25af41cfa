package dev.forebay.fuse.nodecache;

import dev.forebay.linux.DiskFile;
import java.io.IOException;

/**
 * Tracks whether a pack's bytes and records are known to be on the device and to agree, by the mark
 * in its {@link PackMap}. The mark is cleared before any change. It is set again when no change is
 * running and all chunks are verified.
 *
 * <p>Its monitor is taken inside the chunks' locks, and no lock is taken inside it. Thread-safe.
 */
final class PackConsistency {

    private final DiskFile data;
    private final PackMap map;
    private final CachedChunks chunks;

    // Guarded by this.
    private boolean settled;
    // True if the mark may be on the device: a failed sync can have written it all the same.
    private boolean marked;
    private int changes;

    PackConsistency(DiskFile data, PackMap map, CachedChunks chunks) {
        this.data = data;
        this.map = map;
        this.chunks = chunks;
        this.settled = map.wasShut();
        this.marked = settled;
    }

    /**
     * Must be called before bytes or records change; {@link #endChange} must follow unless this
     * fails.
     */
    synchronized void beginChange() throws IOException {
        if (marked) {
            map.markOpen();
            marked = false;
            settled = false;
        }
        changes++;
    }

    synchronized void endChange() {
        changes--;
    }

    /**
     * Syncs everything to the device and sets the mark. Does not set it if a change is running, or
     * not all chunks are verified.
     *
     * @return whether the mark is set
     */
    boolean settle() throws IOException {
        try {
            // Syncs most of it without the monitor, so that changes are not blocked.
            data.syncData();
            synchronized (this) {
                if (!settled && changes == 0 && chunks.areProven()) {
                    data.syncData();
                    if (Thread.currentThread().isInterrupted()) {
                        // The caller has given up waiting, and another process may use the files by
                        // now.
                        return false;
                    }
                    marked = true;
                    map.markShut();
                    settled = true;
                }
                return settled;
            }
        } catch (IOException e) {
            // It is unknown what is on the device.
            chunks.doubt();
            throw e;
        }
    }
}
