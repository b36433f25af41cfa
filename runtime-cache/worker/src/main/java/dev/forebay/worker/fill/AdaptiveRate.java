package dev.forebay.worker.fill;

/**
 * How many requests a second are good at a moment: additive increase, multiplicative decrease (Chiu
 * and Jain, "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance in Computer
 * Networks", 1989), so that workers which know nothing of each other come to share what the lake
 * grants.
 *
 * <p>Each time the lake throttles the rate is halved, at most once in a reaction time, for what is
 * on its way then was sent at the old rate. Afterwards it grows by a sixtieth of the ceiling a
 * second. Times are those of {@link System#nanoTime}. For one thread at a time.
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
     * Begins at the ceiling.
     *
     * @param ceiling the highest rate
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

    /** Changes the ceiling; what the lake taught stays. */
    void ceiling(double highest, long nowNanos) {
        double now = at(nowNanos);
        boolean unhindered = now == ceiling;
        ceiling = Math.max(LEAST, highest);
        base = unhindered ? ceiling : Math.min(now, ceiling);
        baseNanos = nowNanos;
    }
}
