package dev.forebay.manifest;

/**
 * What lies in some whole chunks of a pack.
 *
 * @param objects files of which at least one byte lies there
 * @param reads how many requests to the lake bring it: one for each object in each chunk
 */
public record Tally(long objects, long reads) {}
