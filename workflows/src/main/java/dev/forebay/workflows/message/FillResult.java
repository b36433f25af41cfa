package dev.forebay.workflows.message;

/**
 * The result of a completed fill.
 *
 * @param bytesVerified bytes present and verified
 * @param bytesFromLake bytes taken from the lake for this copy, including earlier attempts
 * @param bytesFromSiblings bytes taken from sibling regions for this copy, counted in the same way
 */
public record FillResult(long bytesVerified, long bytesFromLake, long bytesFromSiblings) {}
