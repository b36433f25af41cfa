package dev.forebay.fuse.fs;

/** What shows a {@link FileSystemView} to a kernel: a mount that is being served. */
public interface Transport extends AutoCloseable {

    /**
     * Waits until the file system is served no more, because somebody unmounted it or because it
     * was closed.
     *
     * @return 0, or a code that says what went wrong
     */
    int awaitEnd() throws InterruptedException;

    /** Whether it serves; else it stands by to do so. */
    boolean serving();

    /** How many files are open, or may be as far as the transport is told. */
    int openFiles();

    /** Unmounts, also with files open, and waits a little for what is under way. */
    @Override
    void close();
}
