package dev.forebay.thread;

import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts work on other threads where a caller can continue without it. */
public final class ThreadStart {

    private static final Logger LOG = LoggerFactory.getLogger(ThreadStart.class);

    private ThreadStart() {}

    /**
     * Starts work on another thread. If memory or threads are lacking, the JVM throws an {@link
     * OutOfMemoryError}. The process can continue after it. A caller that must undo something after
     * a failure creates {@code start} before it does that, because creating it needs memory.
     *
     * @param start starts or submits the work, and does nothing else
     * @return false if the work will not run, because threads are lacking or the executor is closed
     */
    public static boolean attempt(Runnable start) {
        try {
            start.run();
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError none) {
            boolean _ = CatchAll.run(() -> LOG.debug("No thread for a task", none), _ -> {});
            return false;
        }
    }
}
