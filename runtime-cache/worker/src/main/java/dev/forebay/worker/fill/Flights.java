package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
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
    private record Flight<T>(Digest manifest, Urgency urgency, CompletableFuture<T> result) {}

    /**
     * A fill that has ended.
     *
     * @param begun whether this caller began it, so that of all who waited one counts what it did
     */
    record Landed<T>(T result, boolean begun) {}

    /**
     * Waits for the fill of {@code chunk} that is under way, or starts one with {@code work}.
     *
     * @return empty if the fill was for another manifest and so says nothing about this one's
     *     objects: look again
     * @throws ForebayException the fill's failure, or {@code UNAVAILABLE} after {@code timeout}
     */
    Optional<Landed<T>> join(
            ChunkId chunk,
            Digest manifest,
            Urgency urgency,
            Duration timeout,
            Function<Urgency, T> work) {
        Flight<T> mine = new Flight<>(manifest, urgency, new CompletableFuture<>());
        Flight<T> other = underWay.putIfAbsent(chunk, mine);
        if (other == null) {
            Thread.ofVirtual().name("fill").start(() -> run(chunk, mine, work));
            return Optional.of(new Landed<>(await(chunk, mine, timeout), true));
        }
        if (urgency.demanded()) {
            other.urgency.raise();
        }
        if (other.manifest.equals(manifest)) {
            return Optional.of(new Landed<>(await(chunk, other, timeout), false));
        }
        awaitEnd(chunk, other, timeout);
        return Optional.empty();
    }

    /** Waits until none of the fills under way now that {@code concern} is left. */
    void awaitLanded(Predicate<ChunkId> concern, Duration timeout) {
        List<ChunkId> chunks = underWay.keySet().stream().filter(concern).toList();
        long deadline = System.nanoTime() + timeout.toNanos();
        for (ChunkId chunk : chunks) {
            Flight<T> flight = underWay.get(chunk);
            if (flight != null) {
                awaitEnd(chunk, flight, Duration.ofNanos(deadline - System.nanoTime()));
            }
        }
    }

    int count() {
        return underWay.size();
    }

    private void run(ChunkId chunk, Flight<T> flight, Function<Urgency, T> work) {
        try {
            T result = work.apply(flight.urgency);
            underWay.remove(chunk, flight);
            flight.result.complete(result);
        } catch (Throwable e) {
            underWay.remove(chunk, flight);
            flight.result.completeExceptionally(e);
        }
    }

    /** Waits for a fill, whether or not it succeeds. */
    private void awaitEnd(ChunkId chunk, Flight<T> flight, Duration timeout) {
        try {
            await(chunk, flight, timeout);
        } catch (ForebayException e) {
            if (!flight.result.isDone()) {
                throw e;
            }
        }
    }

    private T await(ChunkId chunk, Flight<T> flight, Duration timeout) {
        try {
            return flight.result.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "filling chunk %s took longer than %s".formatted(chunk, timeout),
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
