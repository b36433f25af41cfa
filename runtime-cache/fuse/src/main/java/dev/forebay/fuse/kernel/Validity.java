package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;

/** How long the kernel may believe what it was told. */
final class Validity {

    /** For what a version's manifest says: 68 years, as a kernel takes no "for ever". */
    static final long LASTING_SECONDS = Integer.MAX_VALUE;

    /**
     * For the levels on which versions come and go. One that was evicted can be listed for so long;
     * one that appears is seen at once, for the kernel is never told to remember that a name is not
     * there.
     */
    static final long MOMENT_SECONDS = 1;

    private Validity() {}

    static long seconds(FileSystemView view, long inode) {
        return view.isLasting(inode) ? LASTING_SECONDS : MOMENT_SECONDS;
    }
}
