package dev.forebay.fuse.fs;

/** A directory that is being listed. Safe for use by many threads. */
public interface OpenDirectory {

    /** Takes entries until it is full. */
    @FunctionalInterface
    interface Sink {
        /**
         * Takes an entry.
         *
         * @param next the offset to continue behind this entry
         * @return false if there was no room for it
         */
        boolean accept(String name, long inode, boolean directory, long next);
    }

    /**
     * Lists entries, {@code .} and {@code ..} first.
     *
     * @param offset 0, or a {@code next} that this directory gave
     */
    void list(long offset, Sink sink);
}
