package dev.forebay.worker.fill;

/**
 * Adapts a request rate to throttling by additive increase and multiplicative decrease. The
 * algorithm is from Chiu and Jain, "Analysis of the Increase and Decrease Algorithms for Congestion
 * Avoidance in Computer Networks", 1989. With it, workers that do not know of each other converge
 * on fair shares of what the lake grants.
 *
 * <p>Each throttled response halves the rate, at most once per reaction time: requests already sent
 * at the old rate must not halve it again. Afterwards the rate grows by a sixtieth of the ceiling
 * per second. Times are those of {@link System#nanoTime}. Not thread-safe.
 */
final class AdaptiveRate {

    private static final long REACTION_NANOS = 250_000_000L;
    private static final double SECONDS_FROM_NOTHING_TO_CEILING = 60;
    private static final double LEAST = 1;

    private double ceiling;
    private double base;
    private long baseNanos;
    private long halvedNanos;

    /**
     * Starts at the ceiling.
     *
     * @param ceiling the highest rate, in requests per second
     */
    AdaptiveRate(double ceiling, long nowNanos) {
        this.ceiling = Math.max(LEAST, ceiling);
        this.base = this.ceiling;
        this.baseNanos = nowNanos;
        this.halvedNanos = nowNanos - REACTION_NANOS;
    }

    double at(long nowNanos) {
        double grown = ceiling / SECONDS_FROM_NOTHING_TO_CEILING * ((nowNanos - baseNanos) / 1e9);
        return Math.min(ceiling, base + grown);
    }

    void throttled(long nowNanos) {
        if (nowNanos - halvedNanos >= REACTION_NANOS) {
            base = Math.max(LEAST, at(nowNanos) / 2);
            baseNanos = nowNanos;
            halvedNanos = nowNanos;
        }
    }

    /** Changes the ceiling, and keeps the reduction that throttling caused. */
    void ceiling(double highest, long nowNanos) {
        double now = at(nowNanos);
        boolean unhindered = now == ceiling;
        ceiling = Math.max(LEAST, highest);
        base = unhindered ? ceiling : Math.min(now, ceiling);
        baseNanos = nowNanos;
    }
}
