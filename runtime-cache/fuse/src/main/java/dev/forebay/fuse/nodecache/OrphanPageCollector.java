package dev.forebay.fuse.nodecache;

import dev.forebay.thread.CatchAll;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the pages that no mounted version has, some time after a change of the mount table. A
 * version may come back, and the table may be incomplete for a moment. Further changes delay a
 * sweep only up to a limit. Pages that are in use or cannot be checked are tried again.
 * Thread-safe.
 */
final class OrphanPageCollector implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OrphanPageCollector.class);

    /** The number of delays for which further changes can put off a sweep. */
    private static final int MOST_DELAYS = 6;

    private final PackCache cache;
    private final VersionPages pages;
    private final Duration delay;
    private final ScheduledExecutorService executor =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("node-cache-sweep").factory());

    // Guarded by this.
    private @Nullable ScheduledFuture<?> next;

    private long waitingSinceNanos;

    private volatile boolean paused;

    OrphanPageCollector(PackCache cache, VersionPages pages, Duration delay) {
        this.cache = cache;
        this.pages = pages;
        this.delay = delay;
    }

    synchronized void mountsChanged() {
        if (executor.isShutdown()) {
            return;
        }
        long now = System.nanoTime();
        if (next == null) {
            waitingSinceNanos = now;
        } else if (now - waitingSinceNanos > MOST_DELAYS * delay.toNanos()) {
            return;
        } else {
            next.cancel(false);
        }
        next = executor.schedule(this::sweep, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Pauses or resumes sweeps. While paused, it checks again after each delay. */
    void pause(boolean now) {
        paused = now;
    }

    private synchronized void begin() {
        next = null;
    }

    private void sweep() {
        begin();
        if (paused) {
            mountsChanged();
            return;
        }
        boolean swept =
                CatchAll.get(
                        () -> cache.keepOnly(pages::mounted, pages::packs),
                        e -> {
                            LOG.warn("Cannot remove pages that no mounted version has", e);
                            return false;
                        });
        if (!swept) {
            mountsChanged();
        }
    }

    @Override
    public synchronized void close() {
        executor.shutdownNow();
    }
}
