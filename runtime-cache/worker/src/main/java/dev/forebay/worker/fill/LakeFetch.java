package dev.forebay.worker.fill;

import dev.forebay.lake.Lake;
import dev.forebay.lake.ReadMeter;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads pieces of a chunk from the lake, several at once, each with one conditional request.
 *
 * <p>An object that changed fails alone. Any other failure means the lake is in trouble: what is on
 * its way is finished and kept, nothing more is asked.
 */
final class LakeFetch {

    private static final Logger LOG = LoggerFactory.getLogger(LakeFetch.class);

    /** A piece that could not be had, and why. */
    record Failure(Need.Piece piece, ForebayException cause) {

        /** Whether it says something of the lake, not of this object alone. */
        boolean isTrouble() {
            return isTrouble(cause);
        }

        private static boolean isTrouble(ForebayException cause) {
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

    /**
     * Pieces that are on their way. What was not read to its end counts as missing, for whatever
     * reason: the target has what it had before.
     */
    final class Fetch {

        private final String bucket;
        private final Stages stages;
        private final Queue<Need.Piece> pieces;
        private final ByteBuffer target;
        private final Urgency urgency;
        private final ReadMeter meter;
        private final Set<Need.Piece> read = ConcurrentHashMap.newKeySet();
        private final Map<Need.Piece, ForebayException> causes = new ConcurrentHashMap<>();
        private final Set<Need.Piece> firstLeft = ConcurrentHashMap.newKeySet();
        private final CompletableFuture<Void> firstEnded = new CompletableFuture<>();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private final AtomicInteger readers;
        private volatile boolean stopped;

        private Fetch(
                String bucket, Stages stages, ByteBuffer target, Urgency urgency, ReadMeter meter) {
            this.bucket = bucket;
            this.stages = stages;
            this.pieces = new ConcurrentLinkedQueue<>(stages.all());
            this.target = target;
            this.urgency = urgency;
            this.meter = meter;
            firstLeft.addAll(stages.first());
            readers = new AtomicInteger(Math.clamp(pieces.size(), 1, parallel));
        }

        private void start() {
            int left = readers.get();
            try {
                for (; left > 0; left--) {
                    Thread.ofVirtual().name("lake-fetch").start(this::readAll);
                }
            } catch (OutOfMemoryError noThread) {
                // The others read its share; if there are none, nothing is read.
                LOG.warn("No thread to read from the lake", noThread);
            } finally {
                for (; left > 0; left--) {
                    leave();
                }
            }
        }

        /** Asks for nothing more. What is on its way comes. */
        void stop() {
            stopped = true;
        }

        /**
         * Waits for the first stage, or until nothing more comes of it.
         *
         * @return the pieces of it that could not be had
         */
        List<Failure> awaitFirst() {
            firstEnded.join();
            return failures(stages.first());
        }

        /**
         * Waits for all of it.
         *
         * @return the pieces that could not be had; those that were not tried after a failure have
         *     that failure's cause
         */
        List<Failure> await() {
            ended.join();
            return failures(stages.all());
        }

        private List<Failure> failures(List<Need.Piece> of) {
            return of.stream()
                    .filter(piece -> !read.contains(piece))
                    .map(piece -> new Failure(piece, cause(piece)))
                    .toList();
        }

        private ForebayException cause(Need.Piece piece) {
            ForebayException own = causes.get(piece);
            return own != null
                    ? own
                    : causes.values().stream()
                            .filter(Failure::isTrouble)
                            .findFirst()
                            .orElseGet(() -> notRead(piece, null));
        }

        private void readAll() {
            try {
                for (Need.Piece piece = next(); piece != null; piece = next()) {
                    try {
                        read(piece);
                        read.add(piece);
                    } catch (ForebayException e) {
                        failed(piece, e);
                    } catch (RuntimeException | Error e) {
                        failed(piece, notRead(piece, e));
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

        private void failed(Need.Piece piece, ForebayException cause) {
            if (Failure.isTrouble(cause)) {
                stopped = true;
            }
            causes.put(piece, cause);
        }

        private static ForebayException notRead(Need.Piece piece, @Nullable Throwable cause) {
            return new ForebayException(
                    ErrorCode.INTERNAL,
                    "%s was not read from the lake".formatted(piece.segment().key()),
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
    }
}
