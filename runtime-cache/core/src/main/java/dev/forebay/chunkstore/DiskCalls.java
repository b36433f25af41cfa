package dev.forebay.chunkstore;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.ShutdownSignal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Runs the calls to one disk on threads of its own. A call that the kernel does not answer cannot
 * be cancelled. Its thread is lost until the kernel answers, but the caller continues. If one call
 * exceeds the timeout, the disk is given up with all its calls.
 *
 * <p>The threads are platform threads, because a virtual thread that waits for a disk occupies its
 * carrier. One more thread checks all calls periodically: a timed wait for each call would cost
 * more than most calls take. Safe for use by many threads.
 */
final class DiskCalls implements AutoCloseable {

    /** The most calls that may wait for a thread. */
    private static final int QUEUE = 4096;

    /**
     * The number of checks within one timeout. After a pause of the process only one check is due,
     * even if the pause was long: the disk is not to blame for it.
     */
    private static final int CHECKS = 5;

    private final Path disk;
    private final Duration timeout;
    private final int mostThreads;
    private final ThreadPoolExecutor threads;
    private final Set<Call<?, ?>> underWay = ConcurrentHashMap.newKeySet();
    private final ShutdownSignal closing = new ShutdownSignal();
    private volatile Consumer<IOException> onHang = _ -> {};
    private volatile Runnable onAnswer = () -> {};
    private volatile boolean givenUp;

    /** A call that waits for a disk. */
    interface Body<T, E extends Exception> {
        T run() throws E;
    }

    DiskCalls(Path disk, DiskLimits limits) {
        this.disk = disk;
        this.timeout = limits.timeout();
        this.mostThreads = limits.calls();
        this.threads =
                new ThreadPoolExecutor(
                        mostThreads,
                        mostThreads,
                        10,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(QUEUE),
                        Thread.ofPlatform().daemon().name("disk-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        Thread.ofPlatform().daemon().name("disk-checks").start(this::check);
    }

    /** Sets the listener for a hanging disk. It runs before the waiting callers return. */
    void onHang(Consumer<IOException> listener) {
        onHang = listener;
    }

    /**
     * Sets the listener that runs when a disk that hung has finished all its calls. The listener
     * may take some time, because nothing else waits for its thread.
     */
    void onAnswer(Runnable listener) {
        onAnswer = listener;
    }

    /**
     * Runs a call on the disk's threads and waits for it, even if the caller's thread is
     * interrupted.
     *
     * @param body runs to its end even if the disk is given up meanwhile; its result is then
     *     closed. It must not make another call to the same disk.
     * @return the result, or empty if the disk is given up, now or before
     * @throws E as {@code body} does
     * @throws ForebayException {@code UNAVAILABLE} if the queue is full, or if other calls keep all
     *     threads busy for one to two timeouts
     */
    <T, E extends Exception> Optional<T> call(Body<T, E> body) throws E {
        Call<T, E> call = new Call<>(body);
        underWay.add(call);
        try {
            if (!givenUp) {
                threads.execute(call);
                return Optional.of(call.result());
            }
        } catch (GivenUpException e) {
            // Same as for a disk that was given up before the call.
        } catch (RejectedExecutionException e) {
            if (!givenUp) {
                throw busy();
            }
        } finally {
            underWay.remove(call);
        }
        return Optional.empty();
    }

    private void check() {
        boolean hangs = false;
        while (!givenUp && !closing.within(timeout.dividedBy(CHECKS))) {
            // Running calls first: if the disk hangs, the calls that queue behind them end as well.
            int stuck = 0;
            for (Call<?, ?> call : underWay) {
                if (!call.begun.get()) {
                    continue;
                }
                if (++call.checksBegun > 1) {
                    stuck++;
                }
                if (call.checksBegun > CHECKS && !givenUp) {
                    hangs = true;
                    onHang.accept(
                            new IOException(
                                    "no answer in %s from %s"
                                            .formatted(Seconds.of(timeout), disk)));
                    giveUp();
                }
            }
            // While no thread gets free, the next checks decide whether the disk hangs.
            boolean moves = stuck < mostThreads;
            for (Call<?, ?> call : underWay) {
                if (!call.begun.get() && ++call.checksQueued > CHECKS && moves && call.begin()) {
                    call.completeExceptionally(busy());
                }
            }
        }
        if (hangs && hasAnswered()) {
            onAnswer.run();
        }
    }

    /** Waits until no call is running. Returns false if the store is closed first. */
    private boolean hasAnswered() {
        try {
            while (!closing.hasBegun()) {
                if (threads.awaitTermination(
                        timeout.dividedBy(CHECKS).toNanos(), TimeUnit.NANOSECONDS)) {
                    return !closing.hasBegun();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private ForebayException busy() {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "disk %s is too slow for the requests that wait for it: retry".formatted(disk));
    }

    /** Ends the wait of all callers, and makes no further call to the disk. */
    void giveUp() {
        givenUp = true;
        underWay.forEach(call -> call.completeExceptionally(new GivenUpException()));
        threads.getQueue().clear();
        threads.shutdown();
    }

    /** Stops the periodic check. Calls can still be made. */
    @Override
    public void close() {
        closing.begin();
    }

    private static final class GivenUpException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** One call and its result. */
    private static final class Call<T, E extends Exception> extends CompletableFuture<T>
            implements Runnable {

        private final Body<T, E> body;
        private final AtomicBoolean begun = new AtomicBoolean();

        // Made in advance: there may be no memory for them when the call runs.
        private final CatchAll.Work work = this::make;
        private final Consumer<Throwable> failed = this::completeExceptionally;

        // Used only by the checking thread.
        private int checksQueued;
        private int checksBegun;

        Call(Body<T, E> body) {
            this.body = body;
        }

        private void make() throws Exception {
            T value = body.run();
            if (!complete(value)) {
                close(value);
            }
        }

        /** Claims the call. Returns false if another thread has claimed it. */
        boolean begin() {
            return begun.compareAndSet(false, true);
        }

        @Override
        public void run() {
            if (!begin()) {
                return;
            }
            boolean _ = CatchAll.run(work, failed);
        }

        private static void close(Object unwanted) throws Exception {
            Object value = unwanted instanceof Optional<?> some ? some.orElse(null) : unwanted;
            if (value instanceof AutoCloseable closeable) {
                closeable.close();
            }
        }

        @SuppressWarnings("unchecked") // A body throws no other checked exception.
        T result() throws E {
            try {
                return join();
            } catch (CompletionException e) {
                switch (e.getCause()) {
                    case RuntimeException failed -> throw failed;
                    case Error failed -> throw failed;
                    case null -> throw new IllegalStateException(e);
                    case Throwable failed -> throw (E) failed;
                }
            }
        }
    }
}
