package dev.forebay.fuse.jnr;

import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.FsException;

/** Resolves paths, for transports that identify files by path. */
public final class Paths {

    private Paths() {}

    /**
     * Resolves an absolute path, one name at a time.
     *
     * @throws FsException ENOENT, ENOTDIR, ENAMETOOLONG
     */
    public static Attributes resolve(FileSystemView view, String path) {
        Attributes at = null;
        int start = 1;
        while (start < path.length()) {
            int slash = path.indexOf('/', start);
            int end = slash < 0 ? path.length() : slash;
            long parent = at == null ? FileSystemView.ROOT : at.inode();
            at = view.lookup(parent, path.substring(start, end));
            start = end + 1;
        }
        return at == null ? view.getattr(FileSystemView.ROOT) : at;
    }
}
