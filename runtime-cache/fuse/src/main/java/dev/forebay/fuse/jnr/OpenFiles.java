package dev.forebay.fuse.jnr;

import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.OpenFile;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Maps handles to open files, and names to the attributes of open files.
 *
 * <p>The kernel answers {@code fstat} with a request for the attributes of a name, not of a handle:
 * {@code fuse_getattr} in Linux passes no file. Therefore a name keeps its attributes while a file
 * is open, even if its version has left the tree. Thread-safe.
 *
 * @param <N> the key of a file in the transport: a path or an inode number
 */
public final class OpenFiles<N> {

    private record Opened<N>(N name, OpenFile file) {}

    private record Known(Attributes attributes, int handles) {}

    private final HandleTable<Opened<N>> handles = new HandleTable<>();
    private final Map<N, Known> names = new ConcurrentHashMap<>();

    /**
     * Assigns a handle to an open file.
     *
     * @throws FsException ENFILE if too many files are open
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
     * Returns the file with this handle.
     *
     * @throws FsException EBADF if it is not open
     */
    public OpenFile get(long handle) {
        return handles.get(handle).file;
    }

    /** Returns the attributes of a file that is open under this name. */
    public Optional<Attributes> attributes(N name) {
        return Optional.ofNullable(names.get(name)).map(Known::attributes);
    }

    /**
     * Removes a handle.
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

    /** Returns the number of open handles. */
    public int size() {
        return handles.size();
    }
}
