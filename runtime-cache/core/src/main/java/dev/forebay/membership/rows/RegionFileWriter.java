package dev.forebay.membership.rows;

import dev.forebay.thread.PeriodicTask;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a {@link RegionFile} up to date on a thread of its own, so that a stalled disk does not
 * delay the watch. Safe for use by many threads.
 */
public final class RegionFileWriter implements AutoCloseable {

    /** The pause after a failed write. */
    private static final Duration RETRY = Duration.ofSeconds(2);

    private final RegionFile file;
    private final PeriodicTask task =
            new PeriodicTask(
                    Thread.ofPlatform().daemon().name("region-memory"),
                    Duration.ZERO,
                    "Cannot store the region's state on disk",
                    this::writeNext);

    // Guarded by this.
    private @Nullable Map<String, String> latest;

    public RegionFileWriter(RegionFile file) {
        this.file = file;
        task.start();
    }

    /**
     * Writes the keys soon, unless newer ones arrive first.
     *
     * @param keys as {@link RegionFile#write}
     */
    public synchronized void remember(Map<String, String> keys) {
        latest = keys;
        notifyAll();
    }

    /** Returns the stored keys, as {@link RegionFile#read} does. */
    public Optional<Map<String, String>> recall() {
        return file.read();
    }

    private void writeNext() throws InterruptedException {
        Map<String, String> keys = awaitLatest();
        boolean written = false;
        try {
            written = file.write(keys);
        } finally {
            if (!written) {
                again(keys);
            }
        }
    }

    private synchronized Map<String, String> awaitLatest() throws InterruptedException {
        while (latest == null) {
            wait();
        }
        Map<String, String> keys = latest;
        latest = null;
        return keys;
    }

    private synchronized void again(Map<String, String> keys) throws InterruptedException {
        if (latest == null) {
            latest = keys;
        }
        TimeUnit.NANOSECONDS.timedWait(this, RETRY.toNanos());
    }

    @Override
    public void close() {
        task.interrupt();
    }
}
