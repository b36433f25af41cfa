package dev.forebay.fuse.fs;

/** Finds what a path names, for transports that speak in paths. */
public final class Paths {

    private Paths() {}

    /**
     * Resolves an absolute path, a name at a time.
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
