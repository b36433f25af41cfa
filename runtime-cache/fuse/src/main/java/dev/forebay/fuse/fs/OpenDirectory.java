package dev.forebay.fuse.fs;

/** A directory that is being listed. Thread-safe. */
public interface OpenDirectory {

    /** Receives entries until it is full. */
    @FunctionalInterface
    interface Sink {
        /**
         * Receives an entry.
         *
         * @param next the offset at which to continue after this entry
         * @return false if the entry does not fit
         */
        boolean accept(String name, long inode, boolean directory, long next);
    }

    /**
     * Lists entries, starting with {@code .} and {@code ..}.
     *
     * @param offset 0, or a {@code next} that this directory passed to a sink
     */
    void list(long offset, Sink sink);
}
