package dev.forebay.worker.http;

import dev.forebay.thread.ThreadStart;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs requests on virtual threads, with a bounded number running and queued. Refuses further ones.
 *
 * <p>Each kind of work has its own lane: reads of present bytes, reads that fetch, prewarms and
 * others. Otherwise readers of present bytes would queue behind requests that wait for the lake.
 * Safe for use by many threads. Never blocks the caller.
 */
final class RequestQueue {

    private final String name;
    private final Semaphore running;
    private final int concurrency;
    private final int limit;
    private final Duration retryAfter;
    private final AtomicInteger admitted = new AtomicInteger();

    RequestQueue(String name, int concurrency, int queue, Duration retryAfter) {
        this.name = name;
        this.running = new Semaphore(concurrency);
        this.concurrency = concurrency;
        this.limit = Math.addExact(concurrency, queue);
        this.retryAfter = retryAfter;
    }

    /**
     * Runs {@code task} on its own thread when its turn comes.
     *
     * @throws Refusal 503 if the queue is full
     */
    void run(Runnable task) {
        Runnable start = () -> Thread.ofVirtual().name(name).start(() -> inTurn(task));
        int now = admitted.incrementAndGet();
        if (now > limit) {
            admitted.decrementAndGet();
            throw Refusal.busy(limit - concurrency, retryAfter);
        }
        if (!ThreadStart.attempt(start)) {
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
