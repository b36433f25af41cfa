package dev.forebay.fuse.nodecache;

import java.util.concurrent.atomic.LongAdder;

/** The counters of a node cache since it was opened. */
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

    /** Returns the number of bytes read from the node's disk. */
    public long hitBytes() {
        return hitBytes.sum();
    }

    /** Returns the number of bytes that were missing and had to be fetched. */
    public long missBytes() {
        return missBytes.sum();
    }

    /** Returns the number of bytes written to the node's disk. */
    public long storedBytes() {
        return storedBytes.sum();
    }

    /** Returns the number of bytes evicted to make space. */
    public long evictedBytes() {
        return evictedBytes.sum();
    }

    /** Returns the number of bytes removed because no mounted version has them any more. */
    public long deadBytes() {
        return deadBytes.sum();
    }

    /** Returns the number of bytes that the scrubber has verified. */
    public long scrubbedBytes() {
        return scrubbedBytes.sum();
    }

    /** Returns the number of 64 KiB blocks dropped because their checksum was wrong. */
    public long damagedBlocks() {
        return damagedBlocks.sum();
    }

    /** Returns the number of pieces not stored because the capacity or the disk was exhausted. */
    public long refused() {
        return refused.sum();
    }

    /** Returns the number of failures because this process has too many open files. */
    public long outOfDescriptors() {
        return outOfDescriptors.sum();
    }

    /** Returns the number of disk failures. */
    public long diskErrors() {
        return diskErrors.sum();
    }
}
