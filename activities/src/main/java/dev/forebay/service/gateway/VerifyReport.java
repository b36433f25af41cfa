package dev.forebay.service.gateway;

/**
 * The result of verifying the checksums of stored chunks.
 *
 * @param next the ordinal of the chunk to continue with
 * @param done whether none is left
 * @param intact how many copies were intact
 * @param repaired how many copies were damaged and fetched again
 * @param unanswered how many questions no worker answered
 */
public record VerifyReport(long next, boolean done, long intact, long repaired, long unanswered) {}
