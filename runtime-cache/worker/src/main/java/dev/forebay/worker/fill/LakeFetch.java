package dev.forebay.worker.fill;

import dev.forebay.lake.LakeReader;
import dev.forebay.lake.ReadMeter;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.ThreadStart;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads pieces of a chunk from the lake, several at once, each with one conditional request.
 *
 * <p>A changed object fails alone, and so does an object to which the lake denies access. Many
 * denials without one success point to the credentials of the worker. In that case, and after any
 * other failure, the fetch stops: running requests finish and their bytes are kept, and no new ones
 * start.
 */
final class LakeFetch {

    private static final Logger LOG = LoggerFactory.getLogger(LakeFetch.class);

    /**
     * After this many denials and no success, the credentials are at fault and not single objects.
     */
    private static final int MOST_REFUSED = 8;

    /** A piece that could not be read, and the cause. */
    record Failure(ChunkContents.Piece piece, ForebayException cause) {

        /** Returns whether the failure concerns the lake as a whole and not only this object. */
        boolean isTrouble() {
            return isTrouble(cause);
        }

        private static boolean isTrouble(ForebayException cause) {
            return !cause.code().mayBeOfOneObject();
        }
    }

    private final LakeReader lake;
    private final LakePace pace;
    private final Permits budget;
    private final int parallel;
    private final Duration timeout;
    private final ChangedObjects changed;
    private final FillObserver observer;
    private final ThreadFactory threads;

    /**
     * @param parallel the number of reader threads of each fetch
     * @param threads creates them
     */
    LakeFetch(
            LakeReader lake,
            LakePace pace,
            Permits budget,
            int parallel,
            Duration timeout,
            ChangedObjects changed,
            FillObserver observer,
            ThreadFactory threads) {
        this.lake = lake;
        this.pace = pace;
        this.budget = budget;
        this.parallel = parallel;
        this.timeout = timeout;
        this.changed = changed;
        this.observer = observer;
        this.threads = threads;
    }

    /**
     * Starts to read pieces into their places in {@code target}, those of the first stage before
     * the rest. The rest has prefetch priority until another reader asks for this chunk. The fetch
     * may write into {@code target} until the returned object is closed. If this method throws, the
     * fetch has stopped writing.
     *
     * @param target the chunk, from its first byte
     * @param meter receives each request
     */
    Fetch begin(
            String bucket, FetchOrder stages, ByteBuffer target, Urgency urgency, ReadMeter meter) {
        Fetch fetch = new Fetch(bucket, stages, target, urgency, meter);
        return CatchAll.closeOnFailure(
                fetch,
                () -> {
                    fetch.start();
                    return fetch;
                });
    }

    /** Returns the pieces whose objects were recently found changed, with the cause. */
    List<Failure> knownChanged(String bucket, List<ChunkContents.Piece> pieces) {
        List<Failure> known = new ArrayList<>();
        for (ChunkContents.Piece piece : pieces) {
            changed.find(bucket, piece.segment())
                    .ifPresent(cause -> known.add(new Failure(piece, cause)));
        }
        return known;
    }

    /**
     * Pieces of one stage. Each piece is taken once, by a reader thread or by a stop of the fetch,
     * which then settles it. Callers wait for settled pieces and not for threads: a thread that
     * failed to start may still run, and then finds no piece to take.
     */
    private static final class Part {

        private final List<ChunkContents.Piece> pieces;
        private final Urgency urgency;
        private final Queue<ChunkContents.Piece> left;
        private final Semaphore settled = new Semaphore(0);
        private volatile boolean stopped;

        private Part(List<ChunkContents.Piece> pieces, Urgency urgency) {
            this.pieces = pieces;
            this.urgency = urgency;
            this.left = new ConcurrentLinkedQueue<>(pieces);
        }

        /** Makes readers send no new requests for this part, and settles what nobody has taken. */
        void stop() {
            stopped = true;
            leave();
        }

        void leave() {
            while (take() != null) {
                settle();
            }
        }

        /** Takes the next piece. The caller must {@link #settle} it. */
        ChunkContents.@Nullable Piece take() {
            return left.poll();
        }

        void settle() {
            settled.release();
        }

        /** Waits even if the thread is interrupted, because readers still write into the target. */
        void awaitSettled() {
            settled.acquireUninterruptibly(pieces.size());
            settled.release(pieces.size());
        }
    }

    /**
     * Pieces that are being read. A piece that was not read to its end counts as missing, and its
     * place in the target may contain any bytes.
     *
     * <p>Closing sends no new requests and waits for the running ones. Afterwards nothing writes
     * into the target.
     */
    final class Fetch implements AutoCloseable {

        private final String bucket;
        private final Part first;
        private final Part rest;
        private final ByteBuffer target;
        private final Urgency urgency;
        private final ReadMeter meter;
        private final Set<ChunkContents.Piece> read = ConcurrentHashMap.newKeySet();
        private final Map<ChunkContents.Piece, ForebayException> causes = new ConcurrentHashMap<>();
        private final AtomicInteger refused = new AtomicInteger();
        private volatile @Nullable ForebayException trouble;

        private Fetch(
                String bucket,
                FetchOrder stages,
                ByteBuffer target,
                Urgency urgency,
                ReadMeter meter) {
            this.bucket = bucket;
            this.first = new Part(stages.first(), urgency);
            this.rest = new Part(stages.rest(), urgency.ofRest());
            this.target = target;
            this.urgency = urgency;
            this.meter = meter;
        }

        private void start() {
            int readers = Math.min(first.pieces.size() + rest.pieces.size(), parallel);
            Runnable start = () -> threads.newThread(this::readAll).start();
            int begun = 0;
            while (begun < readers && ThreadStart.attempt(start)) {
                begun++;
            }
            if (begun < readers) {
                // Each thread reads any part. Without any thread, the fetch ends with nothing read.
                if (begun == 0) {
                    stop();
                }
                LOG.warn(
                        "Reading from the lake with {} of {} threads: raise the worker's memory, or "
                                + "its limit of threads",
                        begun,
                        readers);
            }
        }

        /** Stops new requests. Running requests finish, queued ones are cancelled. */
        private void stop() {
            first.stop();
            stopRest();
        }

        private void stopRest() {
            rest.stop();
            // Callers wait for the queued readers: urgency moves them to the front, where they
            // cancel.
            urgency.raise();
        }

        /**
         * Stops new requests after a failure. If no reader waits for the failed piece, those that a
         * reader waits for continue.
         */
        private void stopAfter(ForebayException failure, Part part) {
            trouble = failure;
            if (part == first) {
                stop();
            } else {
                stopRest();
            }
        }

        @Override
        public void close() {
            stop();
            first.awaitSettled();
            rest.awaitSettled();
        }

        /**
         * Waits until the first stage has ended.
         *
         * @return the pieces of the first stage that could not be read
         */
        List<Failure> awaitFirst() {
            first.awaitSettled();
            return failures(first.pieces).toList();
        }

        /**
         * Waits until both stages have ended.
         *
         * @return the pieces that could not be read; pieces that were skipped after a failure carry
         *     its cause
         */
        List<Failure> await() {
            first.awaitSettled();
            rest.awaitSettled();
            return Stream.concat(failures(first.pieces), failures(rest.pieces)).toList();
        }

        private Stream<Failure> failures(List<ChunkContents.Piece> of) {
            return of.stream()
                    .filter(piece -> !read.contains(piece))
                    .map(piece -> new Failure(piece, cause(piece)));
        }

        private ForebayException cause(ChunkContents.Piece piece) {
            ForebayException cause = causes.getOrDefault(piece, trouble);
            return cause != null ? cause : notRead(piece, null);
        }

        private void readAll() {
            try {
                readAll(first);
                readAll(rest);
            } finally {
                // Nothing is left, or this reader has failed and others may have failed too.
                first.leave();
                rest.leave();
            }
        }

        private void readAll(Part part) {
            for (ChunkContents.Piece piece = part.take(); piece != null; piece = part.take()) {
                readOne(piece, part);
            }
        }

        private void readOne(ChunkContents.Piece piece, Part part) {
            try {
                if (CatchAll.get(() -> read(piece, part), e -> failed(piece, part, e))) {
                    read.add(piece);
                }
            } finally {
                part.settle();
            }
        }

        /** Returns false: the piece was not read. */
        private boolean failed(ChunkContents.Piece piece, Part part, Throwable e) {
            ForebayException cause =
                    e instanceof ForebayException known ? known : notRead(piece, e);
            causes.put(piece, cause);
            if (Failure.isTrouble(cause) || isRefusedAltogether(cause)) {
                stopAfter(cause, part);
            }
            return false;
        }

        private boolean isRefusedAltogether(ForebayException cause) {
            return cause.code() == ErrorCode.LAKE_DENIED
                    && refused.incrementAndGet() >= MOST_REFUSED
                    && read.isEmpty();
        }

        private static ForebayException notRead(
                ChunkContents.Piece piece, @Nullable Throwable cause) {
            return new ForebayException(
                    ErrorCode.INTERNAL,
                    "cannot read %s from the lake".formatted(piece.segment().key()),
                    cause);
        }

        /**
         * Returns whether the piece was read. Returns false if the fetch stopped in the meantime.
         */
        private boolean read(ChunkContents.Piece piece, Part part) {
            var known = changed.find(bucket, piece.segment());
            // The fill's urgency decides, not that of the stage: a reader's fill does not retry the
            // rest either.
            if (known.isPresent() && urgency.demanded()) {
                throw new ForebayException(
                        known.get().code(), String.valueOf(known.get().getMessage()), known.get());
            }
            if (!pace.acquire(part.urgency, timeout, () -> part.stopped)) {
                return false;
            }
            budget.acquire(part.urgency, timeout);
            try {
                if (part.stopped) {
                    return false;
                }
                ask(piece, part);
            } finally {
                budget.release();
            }
            if (known.isPresent()) {
                changed.forget(bucket, piece.segment());
            }
            return true;
        }

        private void ask(ChunkContents.Piece piece, Part part) {
            try {
                lake.read(
                        bucket,
                        piece.segment().object(),
                        piece.objectOffset(),
                        target.slice(piece.from(), piece.bytes()),
                        meter);
                observer.lakeRequest("ok", piece.bytes());
            } catch (ForebayException e) {
                observer.lakeRequest(e.code().name().toLowerCase(Locale.ROOT), 0);
                if (e.code() == ErrorCode.LAKE_OBJECT_CHANGED) {
                    changed.remember(bucket, piece.segment(), e);
                }
                if (Failure.isTrouble(e)) {
                    // Stops before the permit is free, so that the next reader cannot use it.
                    stopAfter(e, part);
                }
                throw e;
            }
        }
    }
}
