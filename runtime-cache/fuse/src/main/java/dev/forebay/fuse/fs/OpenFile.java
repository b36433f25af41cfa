package dev.forebay.fuse.fs;

import java.nio.ByteBuffer;

/** A file that is open for reading. Safe for use by many threads. */
public interface OpenFile {

    /**
     * Reads bytes from {@code offset} on into {@code target} until that is full or the file ends;
     * every byte is as the manifest says.
     *
     * @return how many bytes were read, 0 at or behind the end
     */
    int read(long offset, ByteBuffer target);

    /**
     * Whether a read would be answered from this node; else it may wait for others, and long. A
     * guess, made without waiting.
     *
     * @param length how many bytes are asked for; the file may end before
     */
    default boolean isHere(long offset, int length) {
        return true;
    }

    Attributes attributes();
}
