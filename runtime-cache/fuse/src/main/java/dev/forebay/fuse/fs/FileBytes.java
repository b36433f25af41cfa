package dev.forebay.fuse.fs;

import dev.forebay.manifest.Node;
import dev.forebay.model.Digest;
import java.nio.ByteBuffer;

/** Reads the bytes of files. */
public interface FileBytes {

    /**
     * Fills {@code target} with verified bytes of a file.
     *
     * @param manifest the manifest that names the file
     * @param packBytes the size of the file's pack
     * @param offset the first byte in the file; {@code target} ends at or before the file's end
     * @throws dev.forebay.model.ForebayException if the bytes cannot be read and verified within
     *     the configured time
     */
    void read(Digest manifest, long packBytes, Node.File file, long offset, ByteBuffer target);

    /** Returns whether the bytes are on this node; see {@link OpenFile#isHere}. */
    default boolean areHere(Digest manifest, Node.File file, long offset, int length) {
        return true;
    }
}
