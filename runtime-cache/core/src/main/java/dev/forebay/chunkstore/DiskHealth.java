package dev.forebay.chunkstore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a disk is still good for anything. It fails once: when it cannot be written and read any
 * more, does not answer, is not there, or has lost too many chunks.
 *
 * <p>Safe for use by many threads.
 */
final class DiskHealth {

    private static final Logger LOG = LoggerFactory.getLogger(DiskHealth.class);

    /** A disk that takes writes and has lost so many chunks is given up all the same. */
    static final int MOST_UNREADABLE = 100;

    private final Path directory;
    private final DiskProbe probe;
    private final DiskCalls calls;
    private final Counters counters;
    private final AtomicInteger unreadable = new AtomicInteger();
    private volatile boolean failed;
    private volatile Runnable onFailure = () -> {};

    DiskHealth(Path directory, DiskProbe probe, DiskCalls calls, Counters counters) {
        this.directory = directory;
        this.probe = probe;
        this.calls = calls;
        this.counters = counters;
        calls.onHang(this::fail);
    }

    /** Whom to tell when it fails, on the thread that finds out. */
    void onFailure(Runnable listener) {
        onFailure = listener;
    }

    boolean hasFailed() {
        return failed;
    }

    /** Looks whether a disk that did something wrong is still good for anything. */
    void suspect() {
        if (!failed) {
            probe.failure().ifPresent(this::fail);
        }
    }

    /** The disk did not take or give what it was asked for. */
    void erred() {
        counters.diskErrors.increment();
        suspect();
    }

    /** A chunk that was written cannot be read. */
    void lostChunk(IOException why) {
        if (unreadable.incrementAndGet() > MOST_UNREADABLE) {
            fail(why);
        }
        erred();
    }

    private synchronized void fail(IOException why) {
        if (!failed) {
            failed = true;
            calls.giveUp();
            LOG.error("Disk {} has failed and is left alone from now on", directory, why);
            onFailure.run();
        }
    }
}
