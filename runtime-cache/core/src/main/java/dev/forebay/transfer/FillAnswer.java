package dev.forebay.transfer;

/**
 * The result of a fill of one chunk on a worker.
 *
 * @param liveBytes bytes of the manifest's objects in the chunk
 * @param bytesFromLake bytes that the worker fetched from the lake, 0 if it had the chunk
 * @param bytesFromPeers bytes that came from other workers of the region
 * @param bytesFromSiblings bytes that came from other regions
 */
public record FillAnswer(
        long liveBytes, long bytesFromLake, long bytesFromPeers, long bytesFromSiblings) {}
