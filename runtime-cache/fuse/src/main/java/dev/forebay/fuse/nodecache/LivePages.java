package dev.forebay.fuse.nodecache;

import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.util.BitSet;
import java.util.List;

/**
 * Reports which pages of packs belong to a version. A worker answers for one version, with zeros in
 * the place of other versions' bytes. Those zeros must not be stored as bytes of the pack.
 */
interface LivePages {

    /**
     * Returns the size of a pack in bytes.
     *
     * @throws ForebayException if the version is not mounted, or its manifest cannot be read
     */
    long packBytes(Digest manifest, PackId pack);

    /**
     * Returns the pages of 4 KiB, counted from the chunk's first, that hold bytes of the version.
     * The caller must not modify the result.
     *
     * @throws ForebayException if the version is not mounted, or its manifest cannot be read
     */
    BitSet of(Digest manifest, ChunkId chunk);

    /** Returns the mounted versions that have a pack, as far as known without blocking. */
    List<DatasetVersion> names(PackId pack);

    /** Returns whether {@link #of} would return or fail without fetching a manifest. */
    default boolean areAtHand(Digest manifest, ChunkId chunk) {
        return true;
    }
}
