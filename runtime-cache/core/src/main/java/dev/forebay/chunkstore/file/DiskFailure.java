package dev.forebay.chunkstore.file;

import dev.forebay.linux.ErrorNumber;
import java.io.IOException;

/** The meaning of an {@link IOException} for a chunk file. */
public enum DiskFailure {
    /** The file does not contain what was written. */
    DAMAGED,
    /**
     * The device or the file system failed. Bytes that it does not return are as good as damaged.
     */
    UNREADABLE,
    /** No space is left, for bytes or for files. */
    FULL,
    /**
     * Says nothing about the file. For example, the thread was interrupted, or too many files are
     * open.
     */
    OTHER;

    /**
     * Classifies an exception. Checks error numbers, because Java has no types for most of them.
     */
    public static DiskFailure of(IOException e) {
        if (e instanceof DamagedChunkException) {
            return DAMAGED;
        }
        if (ErrorNumber.isFullDisk(e)) {
            return FULL;
        }
        return ErrorNumber.isBrokenDisk(e) ? UNREADABLE : OTHER;
    }
}
