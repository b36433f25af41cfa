package dev.forebay.service.gateway;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How fast a region has filled lately, as far as it has filled enough to tell.
 *
 * <p>A filling takes a time of its own, whatever it brings, and after that as long as its work
 * takes: its bytes, and for each request to the lake {@link #REQUEST_BYTES} more, for a request
 * takes time however little it brings.
 *
 * @param rate work in a second; null before enough was filled
 * @param overhead how many seconds fillings took that brought next to nothing; null if there was
 *     none
 */
public record FillSpeed(@Nullable Spread rate, @Nullable Spread overhead) {

    /**
     * What a request takes as long as: by the benchmarks of a filling, 261 MB/s of large objects
     * and 600 objects of 100 KB in a second (benchmarks/results/data-plane.md, {@code prewarm_*}).
     */
    public static final long REQUEST_BYTES = 256L << 10;

    /** Less work says nothing of the rate: it takes about as long as none. */
    public static final long SMALL_WORK = 4L << 20;

    /** To begin a filling, admit it and prove it takes up to so long. */
    private static final double AROUND_SECONDS = 5;

    private static final Spread NONE = new Spread(0, 0, 0);

    /** What was measured: the least, what is likely, and the most. */
    public record Spread(double least, double likely, double most) {}

    /** How long something takes, at least, probably and at most; in whole seconds. */
    public record Estimate(Duration least, Duration likely, Duration most) {

        /** Of what is there. */
        public static final Estimate NOTHING =
                new Estimate(Duration.ZERO, Duration.ZERO, Duration.ZERO);
    }

    /** The work of bringing so many bytes by so many requests. */
    public static long work(long bytes, long requests) {
        return bytes + requests * REQUEST_BYTES;
    }

    /** How long a filling would take that has the region to itself; empty if that is not known. */
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
