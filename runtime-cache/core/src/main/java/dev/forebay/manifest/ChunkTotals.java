package dev.forebay.manifest;

/**
 * Counts of some whole chunks of a pack.
 *
 * @param objects files with at least one byte in the chunks
 * @param reads how many requests to the lake fetch the chunks: one for each object in each chunk
 */
public record ChunkTotals(long objects, long reads) {}
