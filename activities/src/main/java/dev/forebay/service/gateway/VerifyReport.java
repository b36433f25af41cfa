package dev.forebay.service.gateway;

/**
 * What became of stored chunks that were compared with their checksums.
 *
 * @param next the ordinal of the chunk to go on with
 * @param done whether none is left
 * @param intact how many copies had their checksums
 * @param mended how many did not, and were fetched again
 * @param unanswered how many questions no worker answered
 */
public record VerifyReport(long next, boolean done, long intact, long mended, long unanswered) {}
