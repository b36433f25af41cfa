package dev.forebay.worker.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs requests on virtual threads, so many at once, so many more waiting, the rest refused.
 *
 * <p>Reads of what is here, reads that have to fetch, and prewarms have a lane each: who waits for
 * the lake must not keep a reader from bytes that are here. Safe for use by many threads; never
 * blocks the caller.
 */
final class Lane {

    private final String name;
    private final Semaphore running;
    private final int concurrency;
    private final int limit;
    private final Duration retryAfter;
    private final AtomicInteger admitted = new AtomicInteger();

    Lane(String name, int concurrency, int queue, Duration retryAfter) {
        this.name = name;
        this.running = new Semaphore(concurrency);
        this.concurrency = concurrency;
        this.limit = Math.addExact(concurrency, queue);
        this.retryAfter = retryAfter;
    }

    /**
     * Runs {@code task} soon, on a thread of its own.
     *
     * @throws Refusal 503 if too many wait already
     */
    void run(Runnable task) {
        int now = admitted.incrementAndGet();
        if (now > limit) {
            admitted.decrementAndGet();
            throw Refusal.busy(limit - concurrency, retryAfter);
        }
        try {
            Thread.ofVirtual().name(name).start(() -> inTurn(task));
        } catch (OutOfMemoryError noThread) {
            admitted.decrementAndGet();
            throw Refusal.busy(limit - concurrency, retryAfter);
        }
    }

    private void inTurn(Runnable task) {
        running.acquireUninterruptibly();
        try {
            task.run();
        } finally {
            running.release();
            admitted.decrementAndGet();
        }
    }
}
