package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import java.nio.ByteBuffer;

/** The other workers of the region, as a source of chunks. Safe for use by many threads. */
public interface Peers {

    /**
     * Fills {@code target} completely with bytes {@code [from, from + target.remaining())} of the
     * chunk, verified, from the first worker that holds all that the manifest has there. Asks live
     * workers in the order of the chunk's ranking.
     *
     * @param from counted from the chunk's first byte; a multiple of 64 KiB
     * @return whether it was filled; if not, the target's bytes are undefined
     */
    boolean fetch(Digest manifest, ChunkId chunk, int from, ByteBuffer target);

    /**
     * Whether another worker owns a chunk, which {@link #fetch} then waits for while it fetches
     * that itself.
     */
    default boolean othersOwn(ChunkId chunk) {
        return false;
    }

    /** Knows nobody. */
    static Peers none() {
        return (manifest, chunk, from, target) -> false;
    }
}
