package dev.forebay.fuse.fs;

import java.nio.ByteBuffer;

/** A file that is open for reading. Thread-safe. */
public interface OpenFile {

    /**
     * Reads verified bytes from {@code offset} into {@code target} until that is full or the file
     * ends.
     *
     * @return the number of bytes read, 0 at or after the end
     */
    int read(long offset, ByteBuffer target);

    /**
     * Returns whether this node can answer a read. If not, the read may block for long. This is a
     * guess, and it never blocks.
     *
     * @param length the number of requested bytes; the file may end earlier
     */
    default boolean isHere(long offset, int length) {
        return true;
    }

    Attributes attributes();
}
