package dev.forebay.workflows.message;

/**
 * What a completed filling found.
 *
 * @param bytesVerified bytes present and verified
 * @param bytesFromLake bytes taken from the lake for this copy, earlier attempts included
 * @param bytesFromSiblings the same of bytes from other regions
 */
public record FillResult(long bytesVerified, long bytesFromLake, long bytesFromSiblings) {}
