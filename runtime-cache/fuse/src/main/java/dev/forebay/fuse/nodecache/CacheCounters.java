package dev.forebay.fuse.nodecache;

import java.util.concurrent.atomic.LongAdder;

/** What a node cache has done since it was opened. */
public final class CacheCounters {

    final LongAdder hitBytes = new LongAdder();
    final LongAdder missBytes = new LongAdder();
    final LongAdder storedBytes = new LongAdder();
    final LongAdder evictedBytes = new LongAdder();
    final LongAdder deadBytes = new LongAdder();
    final LongAdder scrubbedBytes = new LongAdder();
    final LongAdder damagedBlocks = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder diskErrors = new LongAdder();
    final LongAdder outOfDescriptors = new LongAdder();

    /** Bytes that were read from the node's disk. */
    public long hitBytes() {
        return hitBytes.sum();
    }

    /** Bytes that were not there and had to be asked for. */
    public long missBytes() {
        return missBytes.sum();
    }

    /** Bytes that were put on the node's disk. */
    public long storedBytes() {
        return storedBytes.sum();
    }

    /** Bytes that made room for others. */
    public long evictedBytes() {
        return evictedBytes.sum();
    }

    /** Bytes that were given up because no mounted version has them any more. */
    public long deadBytes() {
        return deadBytes.sum();
    }

    /** Bytes that were compared with their checksums at rest. */
    public long scrubbedBytes() {
        return scrubbedBytes.sum();
    }

    /** Blocks of 64 KiB that did not have their checksum any more, and were dropped. */
    public long damagedBlocks() {
        return damagedBlocks.sum();
    }

    /** Pieces that were not stored because there was no room, in the bound or on the disk. */
    public long refused() {
        return refused.sum();
    }

    /** Pieces that were not stored because this process has too many files open. */
    public long outOfDescriptors() {
        return outOfDescriptors.sum();
    }

    /** Failures of the disk. */
    public long diskErrors() {
        return diskErrors.sum();
    }
}
