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
 * Whether the disk is worth asking, and who is just asking it: after a failure it is left alone for
 * a while, and files are closed only when nobody uses them. Safe for use by many threads.
 */
final class Disk {

    private static final Logger LOG = LoggerFactory.getLogger(Disk.class);

    private static final Duration REST = Duration.ofSeconds(30);

    private static final int MAX_USERS = Integer.MAX_VALUE;
    private static final long CLOSE_SECONDS = 5;

    /** How often to look whether the disk has been given up. */
    private static final Duration LOOK = Duration.ofMillis(100);

    /**
     * What is done with the disk.
     *
     * @param <X> what it may throw besides failures of the disk
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

    /** Whether it has not failed lately. */
    boolean isUsable() {
        return System.nanoTime() - restsSince >= REST.toNanos();
    }

    /** Whether somebody is just asking it. */
    boolean isInUse() {
        return users.availablePermits() < MAX_USERS;
    }

    /** Does something with the disk; {@code otherwise}, if that fails or is not to be tried now. */
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
     * Leaves the disk alone from now on; unless it is full, a pack is longer than its files may be,
     * or this process has too many files open, for what is there can be read all the same.
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
            LOG.warn("The node cache steps aside for {}: {}", Seconds.of(REST), failure.toString());
        }
        restsSince = System.nanoTime();
    }

    /**
     * Does a last thing with the disk, on a thread of its own, and waits for it as long as the disk
     * is usable: somebody has to watch it. If it is given up the thread is interrupted.
     */
    void await(String name, Runnable last) {
        Thread thread = Thread.ofPlatform().daemon().name(name).start(last);
        try {
            while (!thread.join(LOOK)) {
                if (!isUsable()) {
                    LOG.warn("The node cache is left as after a kill: its disk does not answer");
                    thread.interrupt();
                    return;
                }
            }
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
    }

    /** Lets nobody use it any more; false if somebody still does, and does not end in seconds. */
    boolean endUse() {
        try {
            return users.tryAcquire(MAX_USERS, CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
