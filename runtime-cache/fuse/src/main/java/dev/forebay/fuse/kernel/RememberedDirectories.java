package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.OpenDirectory;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Listings that go on, by handle. The least recently used one is forgotten when there are too many:
 * the kernel says when one is closed, but not if it was killed or another process is told. Safe for
 * use by many threads.
 */
final class RememberedDirectories {

    /** Each has up to 1,000 names that are to come. */
    static final int DIRECTORIES = 1024;

    /** Guarded by this; in the order of use. */
    private final Map<Long, OpenDirectory> byHandle = new LinkedHashMap<>(16, 0.75f, true);

    synchronized @Nullable OpenDirectory get(long handle) {
        return byHandle.get(handle);
    }

    synchronized void put(long handle, OpenDirectory directory) {
        byHandle.put(handle, directory);
        if (byHandle.size() > DIRECTORIES) {
            Iterator<OpenDirectory> eldest = byHandle.values().iterator();
            OpenDirectory _ = eldest.next();
            eldest.remove();
        }
    }

    synchronized void remove(long handle) {
        byHandle.remove(handle);
    }
}
