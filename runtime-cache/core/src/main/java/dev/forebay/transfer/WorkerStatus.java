package dev.forebay.transfer;

/**
 * What a worker says of itself.
 *
 * @param usedBytes how much of {@code capacityBytes} its chunks take
 * @param chunks how many chunks it holds
 */
public record WorkerStatus(
        String id, String region, long capacityBytes, long usedBytes, long chunks) {}
