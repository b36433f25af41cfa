package dev.forebay.service.gateway;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How fast a region has filled recently, as far as it has filled enough for an estimate.
 *
 * <p>A fill has a fixed overhead, and then takes time in proportion to its work. The work is its
 * bytes, plus {@link #REQUEST_BYTES} for each request to the lake, because even a small request
 * takes time.
 *
 * @param rate work per second; null before enough was filled
 * @param overhead the seconds of fills that brought almost nothing; null if there was none
 */
public record FillSpeed(@Nullable Spread rate, @Nullable Spread overhead) {

    /**
     * The bytes that take as long as a request. From the benchmarks of fills: 261 MB/s of large
     * objects, and 600 objects of 100 KB per second (benchmarks/results/data-plane.md, {@code
     * prewarm_*}).
     */
    public static final long REQUEST_BYTES = 256L << 10;

    /** Less work takes about as long as none, so it shows no rate. */
    public static final long SMALL_WORK = 4L << 20;

    /** The most seconds to begin, admit and confirm a fill. */
    private static final double AROUND_SECONDS = 5;

    private static final Spread NONE = new Spread(0, 0, 0);

    /** Measurements: the lowest, the likely and the highest value. */
    public record Spread(double least, double likely, double most) {}

    /** A duration: the shortest, the likely and the longest, in whole seconds. */
    public record Estimate(Duration least, Duration likely, Duration most) {

        /** The estimate for bytes that are present. */
        public static final Estimate NOTHING =
                new Estimate(Duration.ZERO, Duration.ZERO, Duration.ZERO);
    }

    /** Returns the work of fetching this many bytes by this many requests. */
    public static long work(long bytes, long requests) {
        return bytes + requests * REQUEST_BYTES;
    }

    /** Returns the duration of a fill without competing fills. Empty if not known. */
    public Optional<Estimate> estimate(long bytes, long requests) {
        if (bytes == 0) {
            return Optional.of(Estimate.NOTHING);
        }
        long work = work(bytes, requests);
        Spread begin = overhead == null ? NONE : overhead;
        if (rate != null) {
            return Optional.of(
                    estimate(
                            begin.least + work / rate.most,
                            begin.likely + work / rate.likely,
                            begin.most + work / rate.least));
        }
        return overhead == null || work >= SMALL_WORK
                ? Optional.empty()
                : Optional.of(estimate(begin.least, begin.likely, begin.most));
    }

    private static Estimate estimate(double least, double likely, double most) {
        return new Estimate(
                Duration.ofSeconds((long) least),
                Duration.ofSeconds((long) Math.ceil(likely)),
                Duration.ofSeconds((long) Math.ceil(most + AROUND_SECONDS)));
    }
}
