package dev.forebay.transfer;

/**
 * What a worker did to make a chunk present.
 *
 * @param liveBytes how many bytes of the manifest's objects lie in the chunk
 * @param bytesFromLake how many of them it had to fetch from the lake, 0 if the chunk was here
 * @param bytesFromPeers how many came from other workers of the region
 * @param bytesFromSiblings how many came from other regions
 */
public record FillAnswer(
        long liveBytes, long bytesFromLake, long bytesFromPeers, long bytesFromSiblings) {}
