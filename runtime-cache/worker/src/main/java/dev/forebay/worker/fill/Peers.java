package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import java.nio.ByteBuffer;

/** The other workers of the region as a source of chunks. Safe for use by many threads. */
public interface Peers {

    /**
     * Fills {@code target} completely with verified bytes {@code [from, from + target.remaining())}
     * of the chunk. Asks live workers in the order of the chunk's ranking, and uses the first one
     * that holds everything that the manifest has there.
     *
     * @param from relative to the start of the chunk; a multiple of 64 KiB
     * @return whether the target was filled; if not, its bytes are undefined
     */
    boolean fetch(Digest manifest, ChunkId chunk, int from, ByteBuffer target);

    /**
     * Returns whether another worker owns a chunk. {@link #fetch} then waits while the owner
     * fetches it.
     */
    default boolean othersOwn(ChunkId chunk) {
        return false;
    }

    /** Returns a source without any worker. */
    static Peers none() {
        return (manifest, chunk, from, target) -> false;
    }
}
