package dev.forebay.fuse.nodecache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what a full disk refuses, and warns: a disk that is full below the cache's capacity is a
 * configuration error. Thread-safe.
 */
final class FullDisk {

    private static final Logger LOG = LoggerFactory.getLogger(FullDisk.class);

    /**
     * The time without refusals after which the next one is logged again. Each eviction makes space
     * for a moment, so shorter gaps mean nothing.
     */
    private static final Duration MEMORY = Duration.ofMinutes(10);

    private final Path directory;
    private final CacheCapacity space;
    private final CacheCounters counters;
    private final LongSupplier nanoTime;

    // Guarded by this.
    private boolean full;
    private long refusedAt;

    /**
     * @param directory the directory of the cache
     * @param nanoTime a clock such as {@link System#nanoTime}
     */
    FullDisk(Path directory, CacheCapacity space, CacheCounters counters, LongSupplier nanoTime) {
        this.directory = directory;
        this.space = space;
        this.counters = counters;
        this.nanoTime = nanoTime;
    }

    /** Records that the disk refused a write although the cache was below its capacity. */
    void refused(IOException why) {
        counters.refused.increment();
        if (isNews()) {
            LOG.warn(
                    "The disk of {} is full before --pack-cache is reached: {} of {} are used, "
                            + "{} are free there ({}). Bytes that do not fit are fetched for each read. "
                            + "Lower --pack-cache, or free space",
                    directory,
                    mebibytes(space.used()),
                    mebibytes(space.capacity()),
                    free(),
                    why.getMessage());
        }
    }

    private synchronized boolean isNews() {
        long now = nanoTime.getAsLong();
        boolean news = !full || now - refusedAt >= MEMORY.toNanos();
        full = true;
        refusedAt = now;
        return news;
    }

    private String free() {
        try {
            return mebibytes(Files.getFileStore(directory).getUsableSpace());
        } catch (IOException e) {
            return "an unknown number of bytes";
        }
    }

    private static String mebibytes(long bytes) {
        return (bytes >> 20) + " MiB";
    }
}
