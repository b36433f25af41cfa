package dev.forebay.chunkstore;

import java.util.concurrent.atomic.LongAdder;

/** The event counters of a store, shared by its disks. */
final class Counters {

    final LongAdder hits = new LongAdder();
    final LongAdder misses = new LongAdder();
    final LongAdder written = new LongAdder();
    final LongAdder writtenBytes = new LongAdder();
    final LongAdder evicted = new LongAdder();
    final LongAdder damaged = new LongAdder();
    final LongAdder diskFull = new LongAdder();
    final LongAdder diskErrors = new LongAdder();

    ChunkStoreStats snapshot(
            int disks, int failedDisks, long capacityBytes, long usedBytes, long chunks) {
        return new ChunkStoreStats(
                disks,
                failedDisks,
                capacityBytes,
                usedBytes,
                chunks,
                hits.sum(),
                misses.sum(),
                written.sum(),
                writtenBytes.sum(),
                evicted.sum(),
                damaged.sum(),
                diskFull.sum(),
                diskErrors.sum());
    }
}
