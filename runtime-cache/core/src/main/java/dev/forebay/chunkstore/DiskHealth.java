package dev.forebay.chunkstore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
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
    private volatile boolean broken;
    private volatile Runnable onFailure = () -> {};

    DiskHealth(Path directory, DiskProbe probe, DiskCalls calls, Counters counters) {
        this.directory = directory;
        this.probe = probe;
        this.calls = calls;
        this.counters = counters;
        calls.onHang(this::hangs);
    }

    /** Whom to tell when it fails, on the thread that finds out. */
    void onFailure(Runnable listener) {
        onFailure = listener;
    }

    boolean hasFailed() {
        return failed;
    }

    /**
     * What is wrong with a disk that hung and has answered at last, if anything is: it may have
     * answered with an error, as a disk does that tries for a long time to read what it lost; or be
     * another one.
     */
    Optional<IOException> failureAfterHang() {
        return broken
                ? Optional.of(new IOException("what it was asked ended in an error"))
                : probe.failure();
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
        broken = true;
        suspect();
    }

    /** A chunk that was written cannot be read. */
    void lostChunk(IOException why) {
        if (unreadable.incrementAndGet() > MOST_UNREADABLE) {
            fail(why);
        }
        erred();
    }

    private void fail(IOException why) {
        if (leaveAlone()) {
            broken = true;
            LOG.error("Disk {} has failed and is left alone from now on", directory, why);
            onFailure.run();
        }
    }

    private void hangs(IOException why) {
        if (leaveAlone()) {
            // An earlier error, with which the disk went on, says nothing about this.
            broken = false;
            LOG.error("Disk {} hangs and is left alone until it has answered", directory, why);
            onFailure.run();
        }
    }

    /** False if it is left alone already. */
    private synchronized boolean leaveAlone() {
        boolean first = !failed;
        failed = true;
        calls.giveUp();
        return first;
    }
}
