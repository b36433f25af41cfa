package dev.forebay.workflows.message;

/**
 * What a completed filling found.
 *
 * @param bytesVerified bytes present and verified
 * @param bytesFromLake bytes taken from the lake for this copy, earlier attempts included
 */
public record FillResult(long bytesVerified, long bytesFromLake) {}
