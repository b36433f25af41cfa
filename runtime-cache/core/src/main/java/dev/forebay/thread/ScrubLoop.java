package dev.forebay.thread;

import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies items one after the other, in endless rounds and at a limited rate, until closed. A
 * failure ends neither the round nor the loop. Thread-safe.
 *
 * @param <T> an item, such as a chunk or a file
 */
public final class ScrubLoop<T> implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ScrubLoop.class);

    /** Provides the items, to one thread. */
    public interface Source<T> {

        /** Returns the items of a round, in order. */
        Iterator<T> items();

        /**
         * Verifies an item, and handles damage.
         *
         * @param pace must be called after each piece that was read
         * @throws Exception if the item cannot be verified now
         */
        void verify(T item, Pace pace) throws Exception;

        /** Is called at the end of a complete round. */
        default void completed() {}
    }

    /** Limits the rate. */
    @FunctionalInterface
    public interface Pace {

        /**
         * Sleeps for the time that reading a number of bytes may take.
         *
         * @return true if the loop is closing, and the source must return
         */
        boolean endsAfter(long bytes);
    }

    private final Source<T> source;
    private final double nanosPerByte;
    private final PeriodicTask task;

    /**
     * Creates a loop that is not started yet.
     *
     * @param thread the kind and the name of the thread
     * @param bytesPerSecond the rate, more than 0
     * @param pause between two rounds
     */
    public ScrubLoop(Thread.Builder thread, Source<T> source, long bytesPerSecond, Duration pause) {
        this.source = source;
        this.nanosPerByte = 1e9 / bytesPerSecond;
        this.task = new PeriodicTask(thread, pause, "A scrub failed", this::round);
    }

    /** Starts with a round. */
    public void start() {
        task.start();
    }

    /** Starts with a pause. */
    public void startAfterPause() {
        task.startAfterPause();
    }

    /** Verifies all items once. Returns false if it was closed before the end. */
    public boolean round() {
        AtomicBoolean ends = new AtomicBoolean();
        Pace pace =
                bytes -> {
                    ends.set(task.within(Duration.ofNanos((long) (bytes * nanosPerByte))));
                    return ends.get();
                };
        for (Iterator<T> items = source.items(); items.hasNext(); ) {
            T item = items.next();
            boolean verified =
                    CatchAll.run(
                            () -> source.verify(item, pace),
                            e -> LOG.warn("Cannot verify {} at the moment", item, e));
            if (ends.get() || (!verified && task.isClosing())) {
                return false;
            }
        }
        source.completed();
        return true;
    }

    @Override
    public void close() {
        task.close();
    }

    /** Closes the loop, as {@link PeriodicTask#close(Duration)}. */
    public void close(Duration most) {
        task.close(most);
    }
}
