package dev.forebay.fuse.kernel;

import dev.forebay.thread.ThreadStart;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;

/** Answers deferred requests on threads of their own, and counts those that wait. Thread-safe. */
final class DeferredAnswers {

    private static final long IDLE_SECONDS = 10;

    private final Executor threads;
    private final AnswerPool buffers;

    // Guarded by this.
    private int unanswered;

    /**
     * @param name of the threads
     * @param most the number of requests to answer at once, at least 1
     */
    DeferredAnswers(String name, int most, AnswerPool buffers) {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        most,
                        most,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        Thread.ofPlatform().daemon().name(name, 0).factory());
        executor.allowCoreThreadTimeOut(true);
        this.threads = executor;
        this.buffers = buffers;
    }

    /**
     * Takes a request and answers it later.
     *
     * @param answer puts the answer into a buffer, as {@link DeferredRequest#answer} runs it
     * @return whether the request was taken; false if there is no thread for it
     */
    boolean take(DeferredRequest request, ToIntFunction<KernelReplies> answer) {
        boolean isStarted = false;
        add(1);
        try {
            isStarted = ThreadStart.attempt(() -> threads.execute(() -> run(request, answer)));
        } finally {
            if (!isStarted) {
                add(-1);
            }
        }
        return isStarted || !request.cancel();
    }

    private void run(DeferredRequest request, ToIntFunction<KernelReplies> answer) {
        KernelReplies buffer = buffers.take();
        try {
            request.answer(buffer, () -> answer.applyAsInt(buffer));
        } finally {
            buffers.giveBack(buffer);
            add(-1);
        }
    }

    private synchronized void add(int more) {
        unanswered += more;
        notifyAll();
    }

    /**
     * Waits for the requests that were taken.
     *
     * @return whether all were answered in time
     */
    synchronized boolean awaitAll(long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        while (unanswered > 0 && deadline - System.nanoTime() > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, deadline - System.nanoTime());
        }
        return unanswered == 0;
    }
}
