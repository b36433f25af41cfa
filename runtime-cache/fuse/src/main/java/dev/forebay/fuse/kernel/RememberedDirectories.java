package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.OpenDirectory;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A bounded cache of open listings by handle, which forgets the least recently used one. The kernel
 * reports closed listings, but not if the program was killed, or if another process gets the
 * message. Thread-safe.
 */
final class RememberedDirectories {

    /** The maximum number of listings; each holds up to 1,000 upcoming names. */
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
