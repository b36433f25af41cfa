package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;

/**
 * Brings the rest of a file on its way when its first bytes are asked for. Never blocks. Safe for
 * use by many threads.
 */
public interface Ahead {

    /**
     * Somebody reads bytes of a chunk that had to be fetched for him, of a file that goes on behind
     * it. Who only joins another's fetch is not told of: he comes to the next chunk.
     *
     * @param fileEnd where the file ends in the pack
     */
    void missed(Digest manifest, ChunkId chunk, long fileEnd);

    /** Likewise, of a chunk that was brought ahead and is read for the first time. */
    void reached(Digest manifest, ChunkId chunk, long fileEnd);

    /** A chunk is brought ahead of its reader. */
    void broughtAhead(ChunkId chunk);

    /** Whether a chunk was brought ahead and not read since; from now on it was. */
    boolean firstRead(ChunkId chunk);
}
