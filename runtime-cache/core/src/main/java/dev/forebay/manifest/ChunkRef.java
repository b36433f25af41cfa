package dev.forebay.manifest;

import dev.forebay.model.ChunkId;

/**
 * A chunk that a version needs.
 *
 * @param ordinal its position in the version's sequence of chunks, from 0, in pack order
 * @param length the chunk's length in its pack, in bytes
 * @param liveBytes how many bytes of this version's objects are in it, without padding
 */
public record ChunkRef(long ordinal, ChunkId chunk, int length, int liveBytes) {}
