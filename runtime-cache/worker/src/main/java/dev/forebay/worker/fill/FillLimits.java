package dev.forebay.worker.fill;

import java.time.Duration;

/**
 * The bounds of fills.
 *
 * @param concurrency how many chunks are filled at once, each in a buffer of 8 MiB; and a quarter
 *     as many of which another worker is the owner
 * @param queue how many fills may wait
 * @param lakeRequests how many requests to the lake may be on their way
 * @param lakeRequestsPerChunk how many of them for one chunk
 * @param timeout how long anybody waits for a fill, or a fill for its turn
 * @param changedMemory how long an object that changed is not asked for again
 * @param changedMemoryObjects how many such objects are remembered
 */
public record FillLimits(
        int concurrency,
        int queue,
        int lakeRequests,
        int lakeRequestsPerChunk,
        Duration timeout,
        Duration changedMemory,
        int changedMemoryObjects) {

    /** How many chunks of which another worker is the owner are filled at once. */
    int othersConcurrency() {
        return Math.ceilDiv(concurrency, 4);
    }

    /** How many chunks are filled at once in all. */
    int buffers() {
        return concurrency + othersConcurrency();
    }
}
