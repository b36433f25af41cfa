package dev.forebay.manifest;

import dev.forebay.model.ChunkId;

/**
 * A chunk that a version needs.
 *
 * @param ordinal its position in the version's sequence of chunks, from 0, in pack order
 * @param length the chunk's length in its pack, in bytes
 * @param liveBytes how many bytes of this version's objects are in it, without padding
 */
public record ChunkRef(long ordinal, ChunkId chunk, int length, int liveBytes) {

    /**
     * Returns how many bytes of a region's capacity the chunk takes. The capacity of a worker is
     * the number of whole chunks that fit with their footers. A shorter chunk also needs space for
     * its footer, which is one block of the disk.
     */
    public int spaceBytes() {
        return Math.min(ChunkId.CHUNK_BYTES, length + ChunkId.ALIGNMENT_BYTES);
    }
}
