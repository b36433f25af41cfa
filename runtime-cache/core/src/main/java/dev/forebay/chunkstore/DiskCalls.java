package dev.forebay.chunkstore;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import dev.forebay.thread.Closing;
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
 * What is asked of a disk, on threads of its own: what the kernel does not answer cannot be taken
 * back, and its thread is lost until it does, but who asked goes on. A disk that takes too long
 * over one call is given up with all that is asked of it.
 *
 * <p>The threads are the platform's, because a virtual one that waits for a disk keeps its carrier.
 * One more looks at all calls now and then: to wait for each with a time limit costs more than most
 * of them. Safe for use by many threads.
 */
final class DiskCalls implements AutoCloseable {

    /** How many wait for their turn, at most. */
    private static final int QUEUE = 4096;

    /**
     * How often calls are looked at within the patience. A process that is stopped, and goes on,
     * looks once, however long it was: the disk is not to blame for that.
     */
    private static final int LOOKS = 5;

    private final Path disk;
    private final Duration patience;
    private final ThreadPoolExecutor threads;
    private final Set<Call<?, ?>> underWay = ConcurrentHashMap.newKeySet();
    private final Closing closing = new Closing();
    private volatile Consumer<IOException> onHang = _ -> {};
    private volatile Runnable onAnswer = () -> {};
    private volatile boolean givenUp;

    /** Something that waits for a disk. */
    interface Body<T, E extends Exception> {
        T run() throws E;
    }

    DiskCalls(Path disk, DiskLimits limits) {
        this.disk = disk;
        this.patience = limits.patience();
        this.threads =
                new ThreadPoolExecutor(
                        limits.calls(),
                        limits.calls(),
                        10,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(QUEUE),
                        Thread.ofPlatform().daemon().name("disk-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        Thread.ofPlatform().daemon().name("disk-looks").start(this::look);
    }

    /** Whom to tell that the disk took too long, before those who wait for it are. */
    void onHang(Consumer<IOException> listener) {
        onHang = listener;
    }

    /**
     * Whom to tell that a disk that took too long has come to an end with all that was asked of it.
     * That may take some time: nothing else waits for it.
     */
    void onAnswer(Runnable listener) {
        onAnswer = listener;
    }

    /**
     * Has something done, and waits for it, interrupted or not.
     *
     * @param body runs to its end even if the disk is given up meanwhile; what it returns then is
     *     closed. It must not make another call to the same disk.
     * @return empty if the disk is given up, or was before
     * @throws E as {@code body} does
     * @throws ForebayException {@code UNAVAILABLE} if it had no turn in time
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
            // As if it had been before.
        } catch (RejectedExecutionException e) {
            if (!givenUp) {
                throw busy();
            }
        } finally {
            underWay.remove(call);
        }
        return Optional.empty();
    }

    private void look() {
        boolean hangs = false;
        while (!givenUp && !closing.within(patience.dividedBy(LOOKS))) {
            // Those first that say something about the disk: who waits behind them is told, too.
            for (Call<?, ?> call : underWay) {
                if (call.begun.get() && ++call.looksBegun > LOOKS && !givenUp) {
                    hangs = true;
                    onHang.accept(
                            new IOException(
                                    "no answer in %s from %s"
                                            .formatted(Seconds.of(patience), disk)));
                    giveUp();
                }
            }
            for (Call<?, ?> call : underWay) {
                if (!call.begun.get() && ++call.looksQueued > LOOKS && call.begin()) {
                    call.completeExceptionally(busy());
                }
            }
        }
        if (hangs && hasAnswered()) {
            onAnswer.run();
        }
    }

    /** Waits until nothing is under way any more; false if nobody wants to know. */
    private boolean hasAnswered() {
        try {
            while (!closing.hasBegun()) {
                if (threads.awaitTermination(
                        patience.dividedBy(LOOKS).toNanos(), TimeUnit.NANOSECONDS)) {
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
                ErrorCode.UNAVAILABLE, "too much is asked of disk %s at once".formatted(disk));
    }

    /** From now on nobody waits for the disk, and nothing is asked of it. */
    void giveUp() {
        givenUp = true;
        underWay.forEach(call -> call.completeExceptionally(new GivenUpException()));
        threads.getQueue().clear();
        threads.shutdown();
    }

    /** Looks at calls no more; they can still be made. */
    @Override
    public void close() {
        closing.begin();
    }

    private static final class GivenUpException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** One call, and what comes of it. */
    private static final class Call<T, E extends Exception> extends CompletableFuture<T>
            implements Runnable {

        private final Body<T, E> body;
        private final AtomicBoolean begun = new AtomicBoolean();

        // Of the thread that looks.
        private int looksQueued;
        private int looksBegun;

        Call(Body<T, E> body) {
            this.body = body;
        }

        /** Takes it on; false if somebody has done so before. */
        boolean begin() {
            return begun.compareAndSet(false, true);
        }

        @Override
        public void run() {
            if (!begin()) {
                return;
            }
            try {
                T value = body.run();
                if (!complete(value)) {
                    close(value);
                }
            } catch (Throwable e) {
                completeExceptionally(e);
            }
        }

        private static void close(Object unwanted) throws Exception {
            Object value = unwanted instanceof Optional<?> some ? some.orElse(null) : unwanted;
            if (value instanceof AutoCloseable closeable) {
                closeable.close();
            }
        }

        @SuppressWarnings("unchecked") // A body throws nothing else that must be declared.
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
