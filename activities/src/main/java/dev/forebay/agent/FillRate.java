package dev.forebay.agent;

import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.service.gateway.FillSpeed.Spread;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures how fast the region's workers have filled chunks lately: the work of stretches of time
 * in which at least one chunk was being filled. A stretch with next to no work tells the overhead
 * of a filling, and nothing of its rate. Remembers the latest measurements of each kind, in memory.
 * Safe for use by many threads.
 */
final class FillRate {

    /** With less work a single slow or fast moment decides. */
    static final long ENOUGH_WORK = 32L << 20;

    /** A stretch that lasts is measured piece by piece, each about as long as this. */
    private static final double PIECE_SECONDS = 10;

    private static final int MOST_REMEMBERED = 16;

    /** The clock cannot tell less. */
    private static final double SHORTEST_SECONDS = 0.001;

    private static final Measured NOTHING = new Measured(0, 0);

    private final LongSupplier nanos;
    private final Deque<Double> overheads = new ArrayDeque<>();
    private final Deque<Measured> pieces = new ArrayDeque<>();
    private Measured tooLittle = NOTHING;
    private int underWay;
    private long since;
    private long work;
    private boolean isRemainder;

    private record Measured(long work, double seconds) {

        Measured and(Measured other) {
            return new Measured(work + other.work, seconds + other.seconds);
        }

        double rate() {
            return work / Math.max(SHORTEST_SECONDS, seconds);
        }
    }

    FillRate(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** A chunk begins to be filled; {@link #ended} follows whatever happens. */
    synchronized void begun() {
        if (underWay == 0) {
            isRemainder = false;
            beginPiece();
        }
        underWay++;
    }

    /**
     * A chunk is filled, or was given up.
     *
     * @param bytes how many came from outside the worker
     * @param requests how many brought them
     */
    synchronized void ended(long bytes, long requests) {
        underWay--;
        work += FillSpeed.work(bytes, requests);
        double seconds = (nanos.getAsLong() - since) / (double) TimeUnit.SECONDS.toNanos(1);
        Measured piece = new Measured(work, seconds);
        if (underWay == 0) {
            endStretch(piece);
        } else if (seconds >= PIECE_SECONDS && work >= ENOUGH_WORK) {
            remember(pieces, piece);
            isRemainder = true;
            beginPiece();
        }
    }

    private void beginPiece() {
        since = nanos.getAsLong();
        work = 0;
    }

    private void endStretch(Measured piece) {
        if (piece.work == 0) {
            return; // All of it was there already, or failed.
        }
        if (isRemainder) {
            // The chunks of a stretch end together: by itself the last piece would be very fast.
            pieces.addLast(pieces.removeLast().and(piece));
        } else if (piece.work < FillSpeed.SMALL_WORK) {
            remember(overheads, piece.seconds);
        } else {
            tooLittle = tooLittle.and(piece);
            if (tooLittle.work >= ENOUGH_WORK) {
                remember(pieces, tooLittle);
                tooLittle = NOTHING;
            }
        }
    }

    /** What is known by now. */
    synchronized FillSpeed speed() {
        return new FillSpeed(
                spread(pieces.stream().mapToDouble(Measured::rate).sorted().toArray()),
                spread(overheads.stream().mapToDouble(Double::doubleValue).sorted().toArray()));
    }

    /** The fewer measurements there are, the more the next one may differ from all of them. */
    private static @Nullable Spread spread(double[] sorted) {
        if (sorted.length == 0) {
            return null;
        }
        double doubt = 1 + 1.0 / sorted.length;
        return new Spread(
                sorted[0] / doubt, sorted[sorted.length / 2], sorted[sorted.length - 1] * doubt);
    }

    private static <T> void remember(Deque<T> latest, T one) {
        latest.addLast(one);
        if (latest.size() > MOST_REMEMBERED) {
            latest.removeFirst();
        }
    }
}
