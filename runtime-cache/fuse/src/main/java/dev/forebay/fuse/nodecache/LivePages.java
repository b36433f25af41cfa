package dev.forebay.fuse.nodecache;

import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.util.BitSet;
import java.util.List;

/**
 * Which bytes of packs belong to a version. A worker that is asked on behalf of a version gives
 * zeros for what does not: that must not be taken for bytes of the pack.
 */
interface LivePages {

    /**
     * The extent of a pack.
     *
     * @throws ForebayException if the version is not mounted, or its manifest cannot be read
     */
    long packBytes(Digest manifest, PackId pack);

    /**
     * The pages of 4 KiB, counted from the chunk's first, that hold bytes of the version. Nobody
     * changes the answer.
     *
     * @throws ForebayException if the version is not mounted, or its manifest cannot be read
     */
    BitSet of(Digest manifest, ChunkId chunk);

    /** The mounted versions that have a pack, as far as that is known without waiting. */
    List<DatasetVersion> names(PackId pack);

    /** Whether {@link #of} would answer, or fail, without fetching a manifest. */
    default boolean areAtHand(Digest manifest, ChunkId chunk) {
        return true;
    }
}
