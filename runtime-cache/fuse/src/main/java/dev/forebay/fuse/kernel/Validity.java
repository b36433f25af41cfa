package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;

/** The times for which the kernel may cache answers. */
final class Validity {

    /**
     * The time for inodes that a manifest describes: 68 years, as the protocol has no value for
     * "forever".
     */
    static final long LASTING_SECONDS = Integer.MAX_VALUE;

    /**
     * The time for directories in which versions appear and disappear. An evicted version can be
     * listed for this time. A new version is visible at once, because the kernel is never told to
     * cache a missing name.
     */
    static final long MOMENT_SECONDS = 1;

    private Validity() {}

    static long seconds(FileSystemView view, long inode) {
        return view.isLasting(inode) ? LASTING_SECONDS : MOMENT_SECONDS;
    }
}
