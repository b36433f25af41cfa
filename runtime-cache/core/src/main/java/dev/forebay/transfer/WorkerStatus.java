package dev.forebay.transfer;

/**
 * The status that a worker reports.
 *
 * @param usedBytes the part of {@code capacityBytes} that its chunks take
 * @param chunks the number of its chunks
 */
public record WorkerStatus(
        String id, String region, long capacityBytes, long usedBytes, long chunks) {}
