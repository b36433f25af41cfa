package dev.forebay.chunkstore;

import java.io.IOException;

/** What an {@link IOException} says about a chunk file. */
enum DiskFailure {
    /** The file is not what was written. */
    DAMAGED,
    /** The device or the file system cannot give the bytes back: as good as damaged. */
    UNREADABLE,
    /** There is no room, for bytes or for files. */
    FULL,
    /**
     * Says nothing about the file: the thread was interrupted, there are too many open files, and
     * so on.
     */
    OTHER;

    /** Java has no types for most of these; the texts are the C library's. */
    static DiskFailure of(IOException e) {
        if (e instanceof DamagedChunkException) {
            return DAMAGED;
        }
        String text = String.valueOf(e.getMessage());
        if (text.contains("No space left") || text.contains("quota exceeded")) {
            return FULL;
        }
        if (text.contains("Input/output error") || text.contains("Structure needs cleaning")) {
            return UNREADABLE;
        }
        return OTHER;
    }
}
