package dev.forebay.fuse.nodecache;

import dev.forebay.linux.ErrorNumber;
import dev.forebay.model.Seconds;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs operations on the disk. After a failure, operations are skipped for a while. It also counts
 * running operations, so that files are closed only when they are unused. Thread-safe.
 */
final class Disk {

    private static final Logger LOG = LoggerFactory.getLogger(Disk.class);

    private static final Duration REST = Duration.ofSeconds(30);

    private static final int MAX_USERS = Integer.MAX_VALUE;
    private static final long CLOSE_SECONDS = 5;

    /** The interval of the checks whether the disk has been given up. */
    private static final Duration POLL = Duration.ofMillis(100);

    /**
     * An operation on the disk.
     *
     * @param <X> an exception besides failures of the disk
     */
    @FunctionalInterface
    interface Use<T, X extends Exception> {
        T run() throws IOException, X;
    }

    private final CacheCounters counters;
    private final FullDisk full;
    private final Semaphore users = new Semaphore(MAX_USERS);
    private volatile long restsSince = System.nanoTime() - REST.toNanos();

    Disk(CacheCounters counters, FullDisk full) {
        this.counters = counters;
        this.full = full;
    }

    /** Returns whether the disk has not failed recently. */
    boolean isUsable() {
        return System.nanoTime() - restsSince >= REST.toNanos();
    }

    /** Returns whether an operation is running. */
    boolean isInUse() {
        return users.availablePermits() < MAX_USERS;
    }

    /** Runs an operation; returns {@code otherwise} if it fails or the disk is skipped now. */
    <T, X extends Exception> T use(T otherwise, Use<T, X> use) throws X {
        if (!isUsable() || !users.tryAcquire()) {
            return otherwise;
        }
        try {
            return use.run();
        } catch (IOException e) {
            failed(e);
            return otherwise;
        } finally {
            users.release();
        }
    }

    /**
     * Starts to skip the disk, except after failures that leave cached bytes readable. These are a
     * full disk, a pack that exceeds the maximum file size, and too many open files in this
     * process.
     */
    void failed(IOException failure) {
        if (ErrorNumber.isFullDisk(failure)) {
            full.refused(failure);
            return;
        }
        if (ErrorNumber.isOutOfDescriptors(failure)) {
            counters.outOfDescriptors.increment();
            return;
        }
        if (ErrorNumber.isOneOf(failure, ErrorNumber.EFBIG)) {
            counters.refused.increment();
            return;
        }
        counters.diskErrors.increment();
        if (isUsable()) {
            LOG.warn(
                    "Not using the node cache for {}, so workers serve the reads: {}",
                    Seconds.of(REST),
                    failure.toString());
        }
        restsSince = System.nanoTime();
    }

    /**
     * Runs a final operation on its own thread, and waits while the disk is usable. A {@link
     * DiskWatch} must watch the disk meanwhile. If the disk is given up, the thread is interrupted.
     */
    void await(String name, Runnable last) {
        Thread thread = Thread.ofPlatform().daemon().name(name).start(last);
        try {
            while (!thread.join(POLL)) {
                if (!isUsable()) {
                    LOG.warn(
                            "Cannot close the node cache, because its disk does not answer; the "
                                    + "next start repairs it");
                    thread.interrupt();
                    return;
                }
            }
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
    }

    /** Prevents further operations; returns false if running ones do not end within seconds. */
    boolean endUse() {
        try {
            return users.tryAcquire(MAX_USERS, CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
