package dev.forebay.worker.fill;

import java.time.Duration;

/**
 * The bounds of fills.
 *
 * @param concurrency the number of concurrent fills, each with a buffer of 8 MiB; a quarter as many
 *     again for chunks that another worker owns
 * @param queue the number of fills that may wait
 * @param lakeRequests the number of concurrent lake requests
 * @param lakeRequestsPerChunk the number of concurrent lake requests of one chunk
 * @param timeout the longest wait for a fill, and of a fill for a buffer or a lake request
 * @param changedMemory the time before a changed object is requested again
 * @param changedMemoryObjects the number of changed objects to remember
 */
public record FillLimits(
        int concurrency,
        int queue,
        int lakeRequests,
        int lakeRequestsPerChunk,
        Duration timeout,
        Duration changedMemory,
        int changedMemoryObjects) {

    /** Returns the number of concurrent fills of chunks that another worker owns. */
    int othersConcurrency() {
        return Math.ceilDiv(concurrency, 4);
    }

    /** Returns the total number of concurrent fills. */
    int buffers() {
        return concurrency + othersConcurrency();
    }
}
