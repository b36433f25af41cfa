package dev.forebay.fuse.fs;

import dev.forebay.manifest.Pack;
import dev.forebay.model.Digest;
import java.nio.ByteBuffer;

/** Where the bytes of packs come from. Safe for use by many threads. */
public interface PackBytes {

    /**
     * Fills {@code target} with verified bytes of a pack.
     *
     * @param manifest of the version that they are read for
     * @param offset in the pack; {@code target} ends at or before the pack's end
     */
    void read(Digest manifest, Pack pack, long offset, ByteBuffer target);

    /** Whether bytes {@code [from, to)} are on this node; see {@link OpenFile#isHere}. */
    boolean areHere(Digest manifest, Pack pack, long from, long to);
}
