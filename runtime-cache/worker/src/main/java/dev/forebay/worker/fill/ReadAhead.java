package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;

/**
 * Starts fills of the rest of a file when a reader asks for its first bytes. Never blocks. Safe for
 * use by many threads.
 */
public interface ReadAhead {

    /**
     * Fills the next chunks, after a read has started a fill of this one. The file continues behind
     * this chunk. Not called for a read that only joins the fill of another read.
     *
     * @param fileEnd where the file ends in the pack
     */
    void missed(Digest manifest, ChunkId chunk, long fileEnd);

    /**
     * Fills one more chunk, after the first read of a chunk that was filled ahead. The file
     * continues behind this chunk.
     */
    void reached(Digest manifest, ChunkId chunk, long fileEnd);

    /** Remembers a chunk that is being filled ahead of its reader. */
    void filledAhead(ChunkId chunk);

    /** Returns whether a chunk was filled ahead and not read since, and forgets it. */
    boolean firstRead(ChunkId chunk);
}
