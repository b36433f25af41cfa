package dev.forebay.suite;

/**
 * Compares the processor time of this run with that of an earlier run, because hosts differ and
 * slow down. Thread-safe.
 */
final class CpuComparison {
    /** The least processor time to compare, in seconds. A ratio from less time is not reliable. */
    private static final double ENOUGH = 60;

    /** The largest factor for limits. Work that takes longer has become slower itself. */
    private static final double MOST = 2;

    private double known;
    private double taken;

    /**
     * Adds a class or job that ran to its end: the processor seconds of the earlier run and of this
     * one.
     */
    synchronized void add(double before, double now) {
        known += before;
        taken += now;
    }

    /** Returns 1 if this machine is as fast as the earlier one, 2 if it takes twice the time. */
    synchronized double ratio() {
        return known < ENOUGH ? 1 : taken / known;
    }

    /** Returns the factor for time limits, which is never below 1. */
    double stretch() {
        return Math.clamp(ratio(), 1, MOST);
    }
}
