package dev.forebay.thread;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls in parallel, each on a virtual thread, and waits for all of them. After the first
 * failure it starts no further calls. If the caller is interrupted, so are the calls.
 */
public final class ParallelCalls<T> {

    private final Consumer<T> call;
    private final Semaphore places;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private ParallelCalls(int atOnce, Consumer<T> call) {
        this.call = call;
        this.places = new Semaphore(atOnce);
    }

    /**
     * Makes a call for each input, all at once, and returns the results in the order of the inputs.
     *
     * @throws ForebayException as {@link #forEach(Iterator, int, Consumer)}
     */
    public static <T, R> List<R> map(Collection<T> inputs, Function<T, R> call) {
        return map(inputs, Math.max(1, inputs.size()), call);
    }

    /**
     * Makes a call for each input, all at once.
     *
     * @throws ForebayException as {@link #forEach(Iterator, int, Consumer)}
     */
    public static <T> void forEach(Collection<T> inputs, Consumer<T> call) {
        forEach(inputs.iterator(), Math.max(1, inputs.size()), call);
    }

    /**
     * Makes a call for each input, and returns the results in the order of the inputs.
     *
     * @param atOnce the most calls at once
     * @throws ForebayException as {@link #forEach(Iterator, int, Consumer)}
     */
    public static <T, R> List<R> map(Collection<T> inputs, int atOnce, Function<T, R> call) {
        List<T> each = List.copyOf(inputs);
        @SuppressWarnings("unchecked") // The array is not visible elsewhere.
        R[] results = (R[]) new Object[each.size()];
        forEach(
                IntStream.range(0, results.length).iterator(),
                atOnce,
                i -> results[i] = call.apply(each.get(i)));
        return List.of(results);
    }

    /**
     * Makes a call for each input.
     *
     * @param inputs read by this thread, as late as possible
     * @param atOnce the most calls at once
     * @throws ForebayException {@code UNAVAILABLE} if interrupted, or if memory or threads run out
     * @throws RuntimeException the first failure of a call
     */
    public static <T> void forEach(Iterator<? extends T> inputs, int atOnce, Consumer<T> call) {
        new ParallelCalls<>(atOnce, call).makeAll(inputs, atOnce);
    }

    private void makeAll(Iterator<? extends T> inputs, int atOnce) {
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            while (failure.get() == null && inputs.hasNext()) {
                T input = inputs.next();
                places.acquire();
                if (failure.get() == null) {
                    threads.execute(() -> make(input));
                } else {
                    places.release();
                }
            }
            // All are free again when every call has ended.
            places.acquire(atOnce);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        } finally {
            threads.shutdownNow();
            threads.close();
        }
        switch (failure.get()) {
            case null -> {}
            case RuntimeException failed -> throw failed;
            case Throwable failed ->
                    throw new ForebayException(
                            ErrorCode.UNAVAILABLE, "a call failed: " + failed, failed);
        }
    }

    private void make(T input) {
        try {
            call.accept(input);
        } catch (Throwable e) {
            // No other thread would see an error, and the call would count as made.
            failure.compareAndSet(null, e);
        } finally {
            places.release();
        }
    }

    /**
     * Makes a call for each input, all at once, and returns the answers in the order of the inputs.
     * The answer of a call that failed, or took too long, is empty.
     *
     * @param timeout the timeout of each call
     */
    public static <T, R> List<Optional<R>> answers(
            Collection<T> inputs, Duration timeout, Function<T, R> call) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<Optional<R>>> calls =
                    inputs.stream()
                            .map(
                                    input ->
                                            CompletableFuture.supplyAsync(
                                                            () -> Optional.of(call.apply(input)),
                                                            threads)
                                                    .exceptionally(_ -> Optional.empty())
                                                    .completeOnTimeout(
                                                            Optional.empty(),
                                                            timeout.toNanos(),
                                                            TimeUnit.NANOSECONDS))
                            .toList();
            List<Optional<R>> answers = calls.stream().map(CompletableFuture::join).toList();
            threads.shutdownNow();
            return answers;
        }
    }
}
