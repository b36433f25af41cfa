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

    Attributes attributes();
}
