package dev.forebay.fuse.nodecache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what a full disk refuses, and says so once: that it is full although the cache may take
 * more is a mistake of who set the bound. Safe for use by many threads.
 */
final class FullDisk {

    private static final Logger LOG = LoggerFactory.getLogger(FullDisk.class);

    /**
     * How long nothing must have been refused before it counts as news again: what is evicted makes
     * room for a moment each time.
     */
    private static final Duration MEMORY = Duration.ofMinutes(10);

    private final Path directory;
    private final Space space;
    private final CacheCounters counters;
    private final LongSupplier nanoTime;

    // Guarded by this.
    private boolean full;
    private long refusedAt;

    /**
     * @param directory of the cache
     * @param nanoTime as {@link System#nanoTime}
     */
    FullDisk(Path directory, Space space, CacheCounters counters, LongSupplier nanoTime) {
        this.directory = directory;
        this.space = space;
        this.counters = counters;
        this.nanoTime = nanoTime;
    }

    /** Something was refused, though there was room in the bound. */
    void refused(IOException why) {
        counters.refused.increment();
        if (isNews()) {
            LOG.warn(
                    "The disk of {} is full below --pack-cache: {} of {} are used, {} are free"
                            + " there ({}); what does not fit is fetched for each read. Lower"
                            + " --pack-cache, or free space",
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
