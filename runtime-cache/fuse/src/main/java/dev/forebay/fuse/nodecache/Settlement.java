package dev.forebay.fuse.nodecache;

import dev.forebay.linux.DiskFile;
import java.io.IOException;

/**
 * Whether the device is known to have a pack's bytes and records, and both agree: the mark in its
 * {@link PackMap}. It is taken back before anything changes, and set again when nothing is being
 * changed and all was proven.
 *
 * <p>Its monitor is taken inside the chunks' locks, and no lock inside it. Safe for use by many
 * threads.
 */
final class Settlement {

    private final DiskFile data;
    private final PackMap map;
    private final CachedChunks chunks;

    // Guarded by this.
    private boolean settled;
    // Or may be: a mark that could not be synced can be on the device all the same.
    private boolean marked;
    private int changes;

    Settlement(DiskFile data, PackMap map, CachedChunks chunks) {
        this.data = data;
        this.map = map;
        this.chunks = chunks;
        this.settled = map.wasShut();
        this.marked = settled;
    }

    /** Before bytes or records change; {@link #endChange} must follow, unless this fails. */
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
     * Brings everything to the device and says there that it is. Does not say so if something is
     * being changed, or not all was proven.
     *
     * @return whether it is said
     */
    boolean settle() throws IOException {
        try {
            // Most of it without keeping those waiting who are about to change something.
            data.syncData();
            synchronized (this) {
                if (!settled && changes == 0 && chunks.areProven()) {
                    data.syncData();
                    if (Thread.currentThread().isInterrupted()) {
                        // Nobody waited, and the files may be another process's by now.
                        return false;
                    }
                    marked = true;
                    map.markShut();
                    settled = true;
                }
                return settled;
            }
        } catch (IOException e) {
            // Nobody knows what the device has of it.
            chunks.doubt();
            throw e;
        }
    }
}
