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
 * <p>An object that changed fails alone, and so does one that is refused, unless so many are, and
 * nothing else comes, that it is rather our credentials. That, and any other failure, means the
 * lake is in trouble: what is on its way is finished and kept, nothing more is asked.
 */
final class LakeFetch {

    private static final Logger LOG = LoggerFactory.getLogger(LakeFetch.class);

    /** So many refusals, and nothing that came, are not the objects'. */
    private static final int MOST_REFUSED = 8;

    /** A piece that could not be had, and why. */
    record Failure(Need.Piece piece, ForebayException cause) {

        /** Whether it says something of the lake, not of this object alone. */
        boolean isTrouble() {
            return isTrouble(cause);
        }

        private static boolean isTrouble(ForebayException cause) {
            return !cause.code().mayBeOfOneObject();
        }
    }

    private final Lake lake;
    private final LakePace pace;
    private final Permits budget;
    private final int parallel;
    private final Duration timeout;
    private final ChangedObjects changed;
    private final FillObserver observer;
    private final ThreadFactory threads;

    /**
     * @param parallel how many readers each fetch has
     * @param threads what they run on
     */
    LakeFetch(
            Lake lake,
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
     * Begins to read pieces to their places in {@code target}, those of the first stage before the
     * others, for which nobody waits until somebody else comes to the chunk. Until what this gives
     * back is closed, {@code target} may be written into; if this throws, it is not any more.
     *
     * @param target the chunk, from its first byte
     * @param meter hears of each request
     */
    Fetch begin(String bucket, Stages stages, ByteBuffer target, Urgency urgency, ReadMeter meter) {
        Fetch fetch = new Fetch(bucket, stages, target, urgency, meter);
        try {
            fetch.start();
            return fetch;
        } catch (Throwable e) {
            fetch.close();
            throw e;
        }
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
     * Pieces, each of which is taken once, by who then settles it: a reader, when nothing of it
     * comes any more, or who stops the fetch. That is what is waited for, not readers: a thread
     * that could not be started may yet run, and then finds nothing to take.
     */
    private static final class Part {

        private final List<Need.Piece> pieces;
        private final Urgency urgency;
        private final Queue<Need.Piece> left;
        private final Semaphore settled = new Semaphore(0);

        private Part(List<Need.Piece> pieces, Urgency urgency) {
            this.pieces = pieces;
            this.urgency = urgency;
            this.left = new ConcurrentLinkedQueue<>(pieces);
        }

        /** Whoever takes a piece must {@link #settle} it. */
        Need.@Nullable Piece take() {
            return left.poll();
        }

        void settle() {
            settled.release();
        }

        /** Waits whether or not the thread is interrupted, for the target is written into. */
        void awaitSettled() {
            settled.acquireUninterruptibly(pieces.size());
            settled.release(pieces.size());
        }
    }

    /**
     * Pieces that are on their way. What was not read to its end counts as missing, for whatever
     * reason; anything may be in its place in the target.
     *
     * <p>Closing asks for nothing more, and waits for what is on its way. Nothing is written into
     * the target afterwards.
     */
    final class Fetch implements AutoCloseable {

        private final String bucket;
        private final Part first;
        private final Part rest;
        private final ByteBuffer target;
        private final Urgency urgency;
        private final ReadMeter meter;
        private final Set<Need.Piece> read = ConcurrentHashMap.newKeySet();
        private final Map<Need.Piece, ForebayException> causes = new ConcurrentHashMap<>();
        private final AtomicInteger refused = new AtomicInteger();
        private volatile @Nullable ForebayException trouble;
        private volatile boolean stopped;

        private Fetch(
                String bucket, Stages stages, ByteBuffer target, Urgency urgency, ReadMeter meter) {
            this.bucket = bucket;
            this.first = new Part(stages.first(), urgency);
            this.rest = new Part(stages.rest(), urgency.ofRest());
            this.target = target;
            this.urgency = urgency;
            this.meter = meter;
        }

        private void start() {
            int readers = Math.min(first.pieces.size() + rest.pieces.size(), parallel);
            int begun = 0;
            try {
                for (; begun < readers; begun++) {
                    threads.newThread(this::readAll).start();
                }
            } catch (OutOfMemoryError noThread) {
                // The others read its share; if there are none, nothing is read.
                if (begun == 0) {
                    stop();
                }
                LOG.warn("No thread to read from the lake", noThread);
            }
        }

        /** Asks for nothing more. What is on its way comes; what waits for its turn is let go. */
        private void stop() {
            stopped = true;
            // Somebody waits for those who wait.
            urgency.raise();
            leaveTheRest();
        }

        private void leaveTheRest() {
            leave(first);
            leave(rest);
        }

        private static void leave(Part part) {
            while (part.take() != null) {
                part.settle();
            }
        }

        @Override
        public void close() {
            stop();
            first.awaitSettled();
            rest.awaitSettled();
        }

        /**
         * Waits for the first stage, or until nothing more comes of it.
         *
         * @return the pieces of it that could not be had
         */
        List<Failure> awaitFirst() {
            first.awaitSettled();
            return failures(first.pieces).toList();
        }

        /**
         * Waits for all of it.
         *
         * @return the pieces that could not be had; those that were not tried after a failure have
         *     that failure's cause
         */
        List<Failure> await() {
            first.awaitSettled();
            rest.awaitSettled();
            return Stream.concat(failures(first.pieces), failures(rest.pieces)).toList();
        }

        private Stream<Failure> failures(List<Need.Piece> of) {
            return of.stream()
                    .filter(piece -> !read.contains(piece))
                    .map(piece -> new Failure(piece, cause(piece)));
        }

        private ForebayException cause(Need.Piece piece) {
            ForebayException cause = causes.getOrDefault(piece, trouble);
            return cause != null ? cause : notRead(piece, null);
        }

        private void readAll() {
            try {
                readAll(first);
                readAll(rest);
            } finally {
                // Nothing is left, or this reader has failed, and the others may have, too.
                leaveTheRest();
            }
        }

        private void readAll(Part part) {
            for (Need.Piece piece = part.take(); piece != null; piece = part.take()) {
                try {
                    if (read(piece, part.urgency)) {
                        read.add(piece);
                    }
                } catch (ForebayException e) {
                    failed(piece, e);
                } catch (RuntimeException | Error e) {
                    failed(piece, notRead(piece, e));
                } finally {
                    part.settle();
                }
            }
        }

        private void failed(Need.Piece piece, ForebayException cause) {
            causes.put(piece, cause);
            if (Failure.isTrouble(cause) || isRefusedAltogether(cause)) {
                stop(cause);
            }
        }

        private boolean isRefusedAltogether(ForebayException cause) {
            return cause.code() == ErrorCode.LAKE_DENIED
                    && refused.incrementAndGet() >= MOST_REFUSED
                    && read.isEmpty();
        }

        private void stop(ForebayException cause) {
            trouble = cause;
            stop();
        }

        private static ForebayException notRead(Need.Piece piece, @Nullable Throwable cause) {
            return new ForebayException(
                    ErrorCode.INTERNAL,
                    "%s was not read from the lake".formatted(piece.segment().key()),
                    cause);
        }

        /** Whether it was read; if the fetch was stopped meanwhile it is not. */
        private boolean read(Need.Piece piece, Urgency turn) {
            var known = changed.find(bucket, piece.segment());
            // Not the turn's: what a reader does not wait for is asked for anew no more often.
            if (known.isPresent() && urgency.demanded()) {
                throw new ForebayException(
                        known.get().code(), String.valueOf(known.get().getMessage()), known.get());
            }
            if (!pace.acquire(turn, timeout, () -> stopped)) {
                return false;
            }
            budget.acquire(turn, timeout);
            try {
                if (stopped) {
                    return false;
                }
                ask(piece);
            } finally {
                budget.release();
            }
            if (known.isPresent()) {
                changed.forget(bucket, piece.segment());
            }
            return true;
        }

        private void ask(Need.Piece piece) {
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
                    // While the turn is still taken, which the next would ask with.
                    stop(e);
                }
                throw e;
            }
        }
    }
}
