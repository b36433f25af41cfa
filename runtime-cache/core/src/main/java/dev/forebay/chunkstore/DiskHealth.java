package dev.forebay.chunkstore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether a disk is still usable. A disk fails once: when it cannot be written and read any
 * more, does not answer, is missing, or has lost too many chunks.
 *
 * <p>Safe for use by many threads.
 */
final class DiskHealth {

    private static final Logger LOG = LoggerFactory.getLogger(DiskHealth.class);

    /** The most unreadable chunks before a disk is given up, even if it still takes writes. */
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

    /** Sets the listener for the failure. It runs on the thread that finds the failure. */
    void onFailure(Runnable listener) {
        onFailure = listener;
    }

    boolean hasFailed() {
        return failed;
    }

    /**
     * Returns what is wrong with a disk that hung and has answered, or empty if it works. Disks
     * that try for a long time to read lost bytes answer with an error. Another disk may also be in
     * its place.
     */
    Optional<IOException> failureAfterHang() {
        return broken
                ? Optional.of(new IOException("a disk call ended in an error"))
                : probe.failure();
    }

    /** Probes the disk after something went wrong, and fails it if it is not usable. */
    void suspect() {
        if (!failed) {
            probe.failure().ifPresent(this::fail);
        }
    }

    /** Records that the disk failed to read or write something, and probes it. */
    void erred() {
        counters.diskErrors.increment();
        broken = true;
        suspect();
    }

    /** Records that a stored chunk cannot be read. */
    void lostChunk(IOException why) {
        if (unreadable.incrementAndGet() > MOST_UNREADABLE) {
            fail(why);
        }
        erred();
    }

    private void fail(IOException why) {
        if (leaveAlone()) {
            broken = true;
            LOG.error(
                    "Disk {} has failed: serving without it, replace it and restart the worker",
                    directory,
                    why);
            onFailure.run();
        }
    }

    private void hangs(IOException why) {
        if (leaveAlone()) {
            // An error before the hang does not count: the disk continued to work after it.
            broken = false;
            LOG.error("Disk {} hangs: serving without it until it answers", directory, why);
            onFailure.run();
        }
    }

    /** Stops the use of the disk. Returns false if that has happened before. */
    private synchronized boolean leaveAlone() {
        boolean first = !failed;
        failed = true;
        calls.giveUp();
        return first;
    }
}
