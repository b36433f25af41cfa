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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads pieces of a chunk from the lake, several at once, each with one conditional request.
 *
 * <p>An object that changed fails alone. Any other failure means the lake is in trouble: what is on
 * its way is finished and kept, nothing more is asked.
 */
final class LakeFetch {

    /** A piece that could not be had, and why. */
    record Failure(Need.Piece piece, ForebayException cause) {}

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
     * Reads {@code pieces} to their places in {@code target}.
     *
     * @param target the chunk, from its first byte
     * @param meter hears of each request
     * @return the pieces that could not be had; those that were not tried after a failure have that
     *     failure's cause
     */
    List<Failure> fetch(
            String bucket,
            List<Need.Piece> pieces,
            ByteBuffer target,
            Urgency urgency,
            ReadMeter meter) {
        Run run = new Run(bucket, new ConcurrentLinkedQueue<>(pieces), target, urgency, meter);
        int threads = Math.min(parallel, pieces.size());
        List<Thread> helpers = new ArrayList<>();
        for (int i = 1; i < threads; i++) {
            helpers.add(Thread.ofVirtual().name("lake-fetch").start(run));
        }
        run.run();
        helpers.forEach(LakeFetch::join);
        return run.failures();
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

    private static void join(Thread helper) {
        boolean interrupted = false;
        while (true) {
            try {
                helper.join();
                break;
            } catch (InterruptedException e) {
                // The helper writes into a buffer that goes back to the pool: it must end first.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Run implements Runnable {

        private final String bucket;
        private final Queue<Need.Piece> pieces;
        private final ByteBuffer target;
        private final Urgency urgency;
        private final ReadMeter meter;
        private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();
        private volatile boolean stopped;

        Run(
                String bucket,
                Queue<Need.Piece> pieces,
                ByteBuffer target,
                Urgency urgency,
                ReadMeter meter) {
            this.bucket = bucket;
            this.pieces = pieces;
            this.target = target;
            this.urgency = urgency;
            this.meter = meter;
        }

        @Override
        public void run() {
            for (Need.Piece piece = next(); piece != null; piece = next()) {
                try {
                    read(piece);
                } catch (ForebayException e) {
                    failures.add(new Failure(piece, e));
                    stopped |= e.code() != ErrorCode.LAKE_OBJECT_CHANGED;
                } catch (RuntimeException | Error e) {
                    failures.add(
                            new Failure(
                                    piece,
                                    new ForebayException(
                                            ErrorCode.INTERNAL,
                                            "reading %s from the lake failed"
                                                    .formatted(piece.segment().key()),
                                            e)));
                    stopped = true;
                }
            }
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

        List<Failure> failures() {
            List<Failure> all = new ArrayList<>(failures);
            failures.stream()
                    .filter(failure -> failure.cause().code() != ErrorCode.LAKE_OBJECT_CHANGED)
                    .findFirst()
                    .ifPresent(
                            first ->
                                    pieces.forEach(
                                            piece -> all.add(new Failure(piece, first.cause()))));
            return all;
        }
    }
}
