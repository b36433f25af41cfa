package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * The fills that are under way, at most one per chunk, however many wait for it.
 *
 * <p>A fill runs on a virtual thread of its own and goes on when those who wait have given up. Safe
 * for use by many threads.
 *
 * @param <T> what a fill results in
 */
final class Flights<T> {

    private final ConcurrentHashMap<ChunkId, Flight<T>> underWay = new ConcurrentHashMap<>();

    /**
     * A fill under way.
     *
     * @param manifest the version it is for; another one may need other objects of the same chunk
     */
    private record Flight<T>(
            Digest manifest,
            Urgency urgency,
            CompletableFuture<T> result,
            CompletableFuture<Void> part) {}

    /** What a fill does. */
    @FunctionalInterface
    interface Work<T> {
        /**
         * Fills.
         *
         * @param partStored to be called when something of the chunk can be read already
         */
        T run(Urgency urgency, Runnable partStored);
    }

    /**
     * A fill that has ended, or of which a part is stored.
     *
     * @param result empty if it has not ended
     * @param begun whether this caller began it, so that of all who waited one counts what it did
     */
    record Landed<T>(Optional<T> result, boolean begun) {}

    /**
     * Waits for the fill of {@code chunk} that is under way, or starts one with {@code work}.
     *
     * @param partWillDo whether to come back already when a part of the chunk is stored
     * @return empty if the fill was for another manifest and so says nothing about this one's
     *     objects: look again
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
            // Who begins it waits for its rest, too.
            urgency.raise();
        }
        Flight<T> mine =
                new Flight<>(
                        manifest, urgency, new CompletableFuture<>(), new CompletableFuture<>());
        Flight<T> other = underWay.putIfAbsent(chunk, mine);
        if (other == null) {
            try {
                Thread.ofVirtual().name("fill").start(() -> run(chunk, mine, work));
            } catch (OutOfMemoryError noThread) {
                // Else it would stay, and everybody who wants the chunk would wait for it.
                land(
                        chunk,
                        mine,
                        new ForebayException(
                                ErrorCode.UNAVAILABLE, "no thread to fill a chunk", noThread));
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
     * Waits until none of the fills under way now that {@code concern} is left; they are not to
     * wait for their turn behind all that readers want meanwhile.
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

    private void run(ChunkId chunk, Flight<T> flight, Work<T> work) {
        try {
            T result = work.run(flight.urgency, () -> flight.part.complete(null));
            underWay.remove(chunk, flight);
            flight.result.complete(result);
        } catch (Throwable e) {
            land(chunk, flight, e);
        }
    }

    private void land(ChunkId chunk, Flight<T> flight, Throwable failure) {
        underWay.remove(chunk, flight);
        flight.result.completeExceptionally(failure);
    }

    /** Waits for a fill, whether or not it succeeds. */
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
                    "filling chunk %s took longer than %s".formatted(chunk, Seconds.of(timeout)),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "interrupted while waiting for a fill", e);
        } catch (ExecutionException e) {
            // A failure is thrown to several: each gets an exception of its own thread.
            if (e.getCause() instanceof ForebayException known) {
                throw new ForebayException(known.code(), String.valueOf(known.getMessage()), known);
            }
            throw new ForebayException(
                    ErrorCode.INTERNAL, "filling chunk %s failed".formatted(chunk), e.getCause());
        }
    }
}
