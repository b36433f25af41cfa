package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.ThreadStart;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * Deduplicates fills: at most one fill per chunk is running or queued, and all callers share its
 * result.
 *
 * <p>Each fill runs on its own virtual thread and continues after its callers have timed out. Safe
 * for use by many threads.
 *
 * @param <T> the result of a fill
 */
final class FillsInFlight<T> {

    private final ConcurrentHashMap<ChunkId, Flight<T>> underWay = new ConcurrentHashMap<>();

    /**
     * A fill that is running or queued.
     *
     * @param manifest the version that it fills for; another version may need other objects of the
     *     chunk
     */
    private record Flight<T>(
            Digest manifest,
            Urgency urgency,
            CompletableFuture<T> result,
            CompletableFuture<Void> part) {}

    /** The work of a fill. */
    @FunctionalInterface
    interface Work<T> {
        /**
         * Runs the fill.
         *
         * @param partStored to call when a part of the chunk can already be read
         */
        T run(Urgency urgency, Runnable partStored);
    }

    /**
     * A fill that has ended or has stored a part.
     *
     * @param result empty if the fill has not ended
     * @param begun whether this caller started the fill; only that caller counts its bytes
     */
    record Landed<T>(Optional<T> result, boolean begun) {}

    /**
     * Joins the current fill of {@code chunk}, or starts one with {@code work}, and waits for it.
     *
     * @param partWillDo whether to return as soon as a part of the chunk is stored
     * @return empty if the fill was for another manifest, whose result says nothing about the
     *     objects of this one: the caller checks the store again
     * @throws ForebayException the fill's failure, or {@code UNAVAILABLE} after {@code timeout}
     */
    Optional<Landed<T>> join(
            ChunkId chunk,
            Digest manifest,
            Urgency urgency,
            boolean partWillDo,
            Duration timeout,
            Work<T> work) {
        if (urgency.demanded() && !partWillDo) {
            // This caller waits for the whole chunk, so the rest of it is urgent as well.
            urgency.raise();
        }
        Flight<T> mine =
                new Flight<>(
                        manifest, urgency, new CompletableFuture<>(), new CompletableFuture<>());
        Callable<T> body = () -> run(chunk, mine, work);
        Runnable fill = () -> CatchAll.complete(mine.result, body);
        Runnable start = () -> Thread.ofVirtual().name("fill").start(fill);
        Flight<T> other = underWay.putIfAbsent(chunk, mine);
        if (other == null) {
            if (!ThreadStart.attempt(start)) {
                // Otherwise the entry would stay, and all later callers would wait for it.
                underWay.remove(chunk, mine);
                mine.result.completeExceptionally(
                        new ForebayException(
                                ErrorCode.UNAVAILABLE,
                                "no memory or thread to fill a chunk: retry, or raise the worker's memory, or its limit of threads"));
            }
            return Optional.of(new Landed<>(await(chunk, mine, partWillDo, timeout), true));
        }
        if (urgency.demanded()) {
            other.urgency.raise();
        }
        if (other.manifest.equals(manifest)) {
            return Optional.of(new Landed<>(await(chunk, other, partWillDo, timeout), false));
        }
        awaitEnd(chunk, other, timeout);
        return Optional.empty();
    }

    /**
     * Waits until all current fills that match {@code concern} have ended. Makes them urgent, so
     * that they do not queue behind reads.
     */
    void awaitLanded(Predicate<ChunkId> concern, Duration timeout) {
        Map<ChunkId, Flight<T>> awaited = new HashMap<>(underWay);
        awaited.keySet().removeIf(concern.negate());
        awaited.values().forEach(flight -> flight.urgency.raise());
        long deadline = System.nanoTime() + timeout.toNanos();
        awaited.forEach(
                (chunk, flight) ->
                        awaitEnd(chunk, flight, Duration.ofNanos(deadline - System.nanoTime())));
    }

    int count() {
        return underWay.size();
    }

    private T run(ChunkId chunk, Flight<T> flight, Work<T> work) {
        try {
            return work.run(flight.urgency, () -> flight.part.complete(null));
        } finally {
            underWay.remove(chunk, flight);
        }
    }

    /** Waits until a fill has ended, successfully or not. */
    private void awaitEnd(ChunkId chunk, Flight<T> flight, Duration timeout) {
        try {
            Optional<T> _ = await(chunk, flight, false, timeout);
        } catch (ForebayException e) {
            if (!flight.result.isDone()) {
                throw e;
            }
        }
    }

    private Optional<T> await(
            ChunkId chunk, Flight<T> flight, boolean partWillDo, Duration timeout) {
        try {
            if (partWillDo) {
                Object _ =
                        CompletableFuture.anyOf(flight.result, flight.part)
                                .get(timeout.toNanos(), TimeUnit.NANOSECONDS);
                if (!flight.result.isDone()) {
                    return Optional.empty();
                }
            }
            return Optional.of(flight.result.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "filling chunk %s takes longer than %s: retry, or raise forebay.worker.fill.timeout"
                            .formatted(chunk, Seconds.of(timeout)),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "interrupted while waiting for a fill: retry", e);
        } catch (ExecutionException e) {
            // Several callers may throw this failure: each gets an exception with its own stack
            // trace.
            if (e.getCause() instanceof ForebayException known) {
                throw new ForebayException(known.code(), String.valueOf(known.getMessage()), known);
            }
            throw new ForebayException(
                    ErrorCode.INTERNAL, "filling chunk %s failed".formatted(chunk), e.getCause());
        }
    }
}
