package dev.forebay.fuse.fs;

import dev.forebay.manifest.Pack;
import dev.forebay.model.Digest;
import java.nio.ByteBuffer;

/** Reads the bytes of packs. Thread-safe. */
public interface PackBytes {

    /**
     * Fills {@code target} with verified bytes of a pack.
     *
     * @param manifest the manifest of the version that the bytes are read for
     * @param offset the first byte in the pack; {@code target} ends at or before the pack's end
     */
    void read(Digest manifest, Pack pack, long offset, ByteBuffer target);

    /** Returns whether bytes {@code [from, to)} are on this node; see {@link OpenFile#isHere}. */
    boolean areHere(Digest manifest, Pack pack, long from, long to);
}
