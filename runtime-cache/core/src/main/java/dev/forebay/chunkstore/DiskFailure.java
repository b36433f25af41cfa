package dev.forebay.chunkstore;

import dev.forebay.linux.ErrorNumber;
import java.io.IOException;

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

    /** Of most of these Java has no type. */
    static DiskFailure of(IOException e) {
        if (e instanceof DamagedChunkException) {
            return DAMAGED;
        }
        if (ErrorNumber.isFullDisk(e)) {
            return FULL;
        }
        return ErrorNumber.isBrokenDisk(e) ? UNREADABLE : OTHER;
    }
}
