package dev.forebay.agent;

/**
 * Where another attempt goes on.
 *
 * @param next the lowest ordinal that is not finished
 * @param bytesFromLake bytes that came from the lake so far, for chunks above {@code next} too
 */
record WarmProgress(long next, long bytesFromLake) {}
