package dev.forebay.fuse.fs;

/** Serves a {@link FileSystemView} to a kernel through one mount. */
public interface Transport extends AutoCloseable {

    /**
     * Waits until the file system is no longer served, because it was unmounted or closed.
     *
     * @return 0, or a code that says what went wrong
     */
    int awaitEnd() throws InterruptedException;

    /** Returns whether this process serves the mount; if not, it stands by. */
    boolean serving();

    /**
     * Returns the number of open files, as far as the transport knows it. The number may be too
     * high.
     */
    int openFiles();

    /** Unmounts, even with files open, and waits briefly for running requests. */
    @Override
    void close();
}
