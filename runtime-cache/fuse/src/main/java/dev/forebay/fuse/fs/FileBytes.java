package dev.forebay.fuse.fs;

import dev.forebay.manifest.Node;
import dev.forebay.model.Digest;
import java.nio.ByteBuffer;

/** Where the bytes of files come from. */
public interface FileBytes {

    /**
     * Fills {@code target} with the bytes of a file.
     *
     * @param manifest the manifest that names the file
     * @param packBytes the extent of the file's pack
     * @param offset in the file; {@code target} ends at or before the file's end
     * @throws dev.forebay.model.ForebayException if they cannot be had, verified, within the
     *     configured time
     */
    void read(Digest manifest, long packBytes, Node.File file, long offset, ByteBuffer target);

    /** Whether they are on this node; see {@link OpenFile#isHere}. */
    default boolean areHere(Digest manifest, Node.File file, long offset, int length) {
        return true;
    }
}
