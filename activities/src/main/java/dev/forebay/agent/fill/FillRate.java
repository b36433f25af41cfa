package dev.forebay.agent.fill;

import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.service.gateway.FillSpeed.Spread;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures how fast the region's workers have filled chunks recently. It counts the work during
 * stretches of time in which at least one chunk is being filled. A stretch with almost no work
 * shows the overhead of a fill, not its rate. Keeps the latest measurements of each kind in memory.
 * Safe for use by many threads.
 */
public final class FillRate {

    /** With less work a single slow or fast moment decides the result. */
    static final long ENOUGH_WORK = 32L << 20;

    /** A long stretch is measured in pieces of at least this length. */
    private static final double PIECE_SECONDS = 10;

    private static final int MOST_REMEMBERED = 16;

    /** The resolution of the clock. */
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

        /** A tenth of the time always remains, because an overhead varies. */
        Measured without(double overhead) {
            return new Measured(work, Math.max(seconds - overhead, seconds / 10));
        }

        double rate() {
            return work / Math.max(SHORTEST_SECONDS, seconds);
        }
    }

    public FillRate(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /**
     * Records that the fill of a chunk begins. The caller must call {@link #ended} in every case.
     */
    synchronized void begun() {
        if (underWay == 0) {
            isRemainder = false;
            beginPiece();
        }
        underWay++;
    }

    /**
     * Records that the fill of a chunk has ended or failed.
     *
     * @param bytes how many bytes came from outside the worker
     * @param requests how many requests fetched them
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
            return; // all chunks were present already, or failed
        }
        if (isRemainder) {
            // The chunks of a stretch end together, so the last piece alone would seem very fast.
            pieces.addLast(pieces.removeLast().and(piece));
        } else if (piece.work < FillSpeed.SMALL_WORK) {
            remember(overheads, piece.seconds);
        } else {
            tooLittle = tooLittle.and(piece.without(leastOverhead()));
            if (tooLittle.work >= ENOUGH_WORK) {
                remember(pieces, tooLittle);
                tooLittle = NOTHING;
            }
        }
    }

    /** An estimate adds the overhead again, so a rate must not include it. */
    private double leastOverhead() {
        return overheads.stream().mapToDouble(Double::doubleValue).min().orElse(0);
    }

    /** Returns the result of the measurements so far. */
    public synchronized FillSpeed speed() {
        return new FillSpeed(
                spread(pieces.stream().mapToDouble(Measured::rate).sorted().toArray()),
                spread(overheads.stream().mapToDouble(Double::doubleValue).sorted().toArray()));
    }

    /**
     * Returns the spread of the measurements. The fewer there are, the wider it is, because the
     * next one may differ more.
     */
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
