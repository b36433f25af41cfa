package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;

/**
 * Brings the rest of a file on its way when its first bytes are asked for. Safe for use by many
 * threads.
 */
@FunctionalInterface
public interface Ahead {

    /**
     * Somebody waits for bytes of a chunk that are not here, of a file that goes on behind it.
     * Never blocks.
     *
     * @param fileEnd where the file ends in the pack
     */
    void wanted(Digest manifest, ChunkId chunk, long fileEnd);

    /** Brings nothing. */
    static Ahead none() {
        return (manifest, chunk, fileEnd) -> {};
    }
}
