package dev.forebay.chunkstore;

import java.io.IOException;
import java.util.List;

/** What an {@link IOException} says about a chunk file. */
enum DiskFailure {
    /** The file is not what was written. */
    DAMAGED,
    /**
     * The device or the file system cannot do it: what it does not give back is as good as damaged.
     */
    UNREADABLE,
    /** There is no room, for bytes or for files. */
    FULL,
    /**
     * Says nothing about the file: the thread was interrupted, there are too many open files, and
     * so on.
     */
    OTHER;

    // include/uapi/asm-generic/errno-base.h and errno.h of Linux.
    private static final int EIO = 5;
    private static final int ENXIO = 6;
    private static final int ENODEV = 19;
    private static final int ENOSPC = 28;
    private static final int EROFS = 30;
    private static final int EUCLEAN = 117;
    private static final int EDQUOT = 122;

    private static final List<String> BAD_DISK = ErrorTexts.of(EIO, ENXIO, ENODEV, EROFS, EUCLEAN);
    private static final List<String> FULL_DISK = ErrorTexts.of(ENOSPC, EDQUOT);

    /** Java has no types for most of these, and passes on nothing but the C library's text. */
    static DiskFailure of(IOException e) {
        if (e instanceof DamagedChunkException) {
            return DAMAGED;
        }
        String text = String.valueOf(e.getMessage());
        if (FULL_DISK.stream().anyMatch(text::contains)) {
            return FULL;
        }
        return BAD_DISK.stream().anyMatch(text::contains) ? UNREADABLE : OTHER;
    }
}
