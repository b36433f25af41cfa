package dev.forebay.membership.rows;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a {@link RegionFile} up to date on a thread of its own, so that a stalled disk does not
 * delay the watch. Safe for use by many threads.
 */
public final class RegionMemory implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RegionMemory.class);

    /** The pause after a failed write. */
    private static final Duration RETRY = Duration.ofSeconds(2);

    private final RegionFile file;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("region-memory").unstarted(this::run);

    // Guarded by this.
    private @Nullable Map<String, String> latest;

    public RegionMemory(RegionFile file) {
        this.file = file;
        thread.start();
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

    private void run() {
        try {
            while (true) {
                Map<String, String> keys = awaitLatest();
                if (!wrote(keys)) {
                    again(keys);
                }
            }
        } catch (InterruptedException closed) {
            // The memory is closed.
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

    private boolean wrote(Map<String, String> keys) {
        try {
            return file.write(keys);
        } catch (RuntimeException | Error e) {
            LOG.error("What etcd says is not remembered", e);
            return false;
        }
    }

    private synchronized void again(Map<String, String> keys) throws InterruptedException {
        if (latest == null) {
            latest = keys;
        }
        TimeUnit.NANOSECONDS.timedWait(this, RETRY.toNanos());
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
