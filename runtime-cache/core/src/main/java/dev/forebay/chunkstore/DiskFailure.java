package dev.forebay.chunkstore;

import java.io.IOException;
import java.util.regex.Pattern;

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

    private static final Pattern DISK =
            Pattern.compile(
                    "Input/output error|Structure needs cleaning|Read-only file system|No such device");

    /** Java has no types for most of these; the texts are the C library's. */
    static DiskFailure of(IOException e) {
        if (e instanceof DamagedChunkException) {
            return DAMAGED;
        }
        String text = String.valueOf(e.getMessage());
        if (text.contains("No space left") || text.contains("quota exceeded")) {
            return FULL;
        }
        return DISK.matcher(text).find() ? UNREADABLE : OTHER;
    }
}
