package dev.forebay.worker.fill;

import dev.forebay.lake.Lake;
import dev.forebay.lake.ReadMeter;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Reads pieces of a chunk from the lake, several at once, each with one conditional request.
 *
 * <p>An object that changed fails alone. Any other failure means the lake is in trouble: what is on
 * its way is finished and kept, nothing more is asked.
 */
final class LakeFetch {

    /** A piece that could not be had, and why. */
    record Failure(Need.Piece piece, ForebayException cause) {

        /** Whether it says something of the lake, not of this object alone. */
        boolean isTrouble() {
            return cause.code() != ErrorCode.LAKE_OBJECT_CHANGED;
        }
    }

    private final Lake lake;
    private final LakePace pace;
    private final Permits budget;
    private final int parallel;
    private final Duration timeout;
    private final ChangedObjects changed;
    private final FillObserver observer;

    LakeFetch(
            Lake lake,
            LakePace pace,
            Permits budget,
            int parallel,
            Duration timeout,
            ChangedObjects changed,
            FillObserver observer) {
        this.lake = lake;
        this.pace = pace;
        this.budget = budget;
        this.parallel = parallel;
        this.timeout = timeout;
        this.changed = changed;
        this.observer = observer;
    }

    /**
     * Begins to read pieces to their places in {@code target}, those of the first stage before the
     * others. Whoever calls this must {@link Fetch#await} it before the target is used for anything
     * else.
     *
     * @param target the chunk, from its first byte
     * @param meter hears of each request
     */
    Fetch begin(String bucket, Stages stages, ByteBuffer target, Urgency urgency, ReadMeter meter) {
        Fetch fetch = new Fetch(bucket, stages, target, urgency, meter);
        fetch.start();
        return fetch;
    }

    /** Those of {@code pieces} whose objects were found changed a short while ago. */
    List<Failure> knownChanged(String bucket, List<Need.Piece> pieces) {
        List<Failure> known = new ArrayList<>();
        for (Need.Piece piece : pieces) {
            changed.find(bucket, piece.segment())
                    .ifPresent(cause -> known.add(new Failure(piece, cause)));
        }
        return known;
    }

    /** Pieces that are on their way. */
    final class Fetch {

        private final String bucket;
        private final List<Need.Piece> first;
        private final Queue<Need.Piece> pieces = new ConcurrentLinkedQueue<>();
        private final ByteBuffer target;
        private final Urgency urgency;
        private final ReadMeter meter;
        private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();
        private final Set<Need.Piece> firstLeft = ConcurrentHashMap.newKeySet();
        private final CompletableFuture<Void> firstEnded = new CompletableFuture<>();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private final AtomicInteger readers;
        private volatile boolean stopped;

        private Fetch(
                String bucket, Stages stages, ByteBuffer target, Urgency urgency, ReadMeter meter) {
            this.bucket = bucket;
            this.first = stages.first();
            this.target = target;
            this.urgency = urgency;
            this.meter = meter;
            pieces.addAll(stages.first());
            pieces.addAll(stages.rest());
            firstLeft.addAll(stages.first());
            readers = new AtomicInteger(Math.clamp(pieces.size(), 1, parallel));
        }

        private void start() {
            for (int i = readers.get(); i > 0; i--) {
                try {
                    Thread.ofVirtual().name("lake-fetch").start(this::readAll);
                } catch (OutOfMemoryError noThread) {
                    // Then this one reads, before it waits.
                    readAll();
                }
            }
        }

        /**
         * Waits for the first stage, or until nothing more comes of it.
         *
         * @return the pieces of it that could not be had
         */
        List<Failure> awaitFirst() {
            firstEnded.join();
            Set<Need.Piece> awaited = new HashSet<>(first);
            return failures().stream()
                    .filter(failure -> awaited.contains(failure.piece()))
                    .toList();
        }

        /**
         * Waits for all of it.
         *
         * @return the pieces that could not be had; those that were not tried after a failure have
         *     that failure's cause
         */
        List<Failure> await() {
            ended.join();
            return failures();
        }

        private void readAll() {
            try {
                for (Need.Piece piece = next(); piece != null; piece = next()) {
                    try {
                        read(piece);
                    } catch (ForebayException e) {
                        failed(new Failure(piece, e));
                    } catch (RuntimeException | Error e) {
                        failed(new Failure(piece, unexpected(piece, e)));
                    }
                    if (firstLeft.remove(piece) && firstLeft.isEmpty()) {
                        firstEnded.complete(null);
                    }
                }
            } finally {
                leave();
            }
        }

        private void leave() {
            if (readers.decrementAndGet() == 0) {
                firstEnded.complete(null);
                ended.complete(null);
            }
        }

        private void failed(Failure failure) {
            failures.add(failure);
            stopped |= failure.isTrouble();
        }

        private static ForebayException unexpected(Need.Piece piece, Throwable cause) {
            return new ForebayException(
                    ErrorCode.INTERNAL,
                    "reading %s from the lake failed".formatted(piece.segment().key()),
                    cause);
        }

        private Need.@Nullable Piece next() {
            return stopped ? null : pieces.poll();
        }

        private void read(Need.Piece piece) {
            var known = changed.find(bucket, piece.segment());
            if (known.isPresent() && urgency.demanded()) {
                throw new ForebayException(
                        known.get().code(), String.valueOf(known.get().getMessage()), known.get());
            }
            pace.acquire(urgency, timeout);
            budget.acquire(urgency, timeout);
            try {
                lake.read(
                        bucket,
                        piece.segment().key(),
                        piece.segment().size(),
                        piece.segment().etag(),
                        piece.segment().versionId(),
                        piece.objectOffset(),
                        target.slice(piece.from(), piece.bytes()),
                        meter);
                observer.lakeRequest("ok", piece.bytes());
                if (known.isPresent()) {
                    changed.forget(bucket, piece.segment());
                }
            } catch (ForebayException e) {
                observer.lakeRequest(e.code().name().toLowerCase(Locale.ROOT), 0);
                if (e.code() == ErrorCode.LAKE_OBJECT_CHANGED) {
                    changed.remember(bucket, piece.segment(), e);
                }
                throw e;
            } finally {
                budget.release();
            }
        }

        private List<Failure> failures() {
            List<Failure> all = new ArrayList<>(failures);
            failures.stream()
                    .filter(Failure::isTrouble)
                    .findFirst()
                    .ifPresent(
                            first ->
                                    pieces.forEach(
                                            piece -> all.add(new Failure(piece, first.cause()))));
            return all;
        }
    }
}
