package dev.forebay.fuse.fs;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Open files by their handle, and by the name that the kernel's other requests have for them.
 *
 * <p>The kernel answers {@code fstat} by asking for the attributes of a name and not of a handle
 * ({@code fuse_getattr} in Linux passes no file). So while a file is open its name has attributes,
 * even if its version has left the tree. Thread-safe.
 *
 * @param <N> what a transport knows a file by, a path or an inode number
 */
public final class OpenFiles<N> {

    private record Opened<N>(N name, OpenFile file) {}

    private record Known(Attributes attributes, int handles) {}

    private final HandleTable<Opened<N>> handles = new HandleTable<>();
    private final Map<N, Known> names = new ConcurrentHashMap<>();

    /**
     * Gives an open file a handle.
     *
     * @throws FsException ENFILE if too many are open
     */
    public long add(N name, OpenFile file) {
        long handle = handles.add(new Opened<>(name, file));
        names.merge(
                name,
                new Known(file.attributes(), 1),
                (before, _) -> new Known(file.attributes(), before.handles + 1));
        return handle;
    }

    /**
     * The file with this handle.
     *
     * @throws FsException EBADF if it is not open
     */
    public OpenFile get(long handle) {
        return handles.get(handle).file;
    }

    /** The attributes of a file that is open under this name. */
    public Optional<Attributes> attributes(N name) {
        return Optional.ofNullable(names.get(name)).map(Known::attributes);
    }

    /**
     * Forgets a handle.
     *
     * @throws FsException EBADF if it is not open
     */
    public void remove(long handle) {
        N name = handles.get(handle).name;
        handles.remove(handle);
        names.computeIfPresent(
                name,
                (_, known) ->
                        known.handles == 1 ? null : new Known(known.attributes, known.handles - 1));
    }

    /** How many handles are open. */
    public int size() {
        return handles.size();
    }
}
