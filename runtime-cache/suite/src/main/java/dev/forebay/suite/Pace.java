package dev.forebay.suite;

/**
 * How many times the processor time of an earlier run this one takes, as hosts differ and slow
 * down. Thread-safe.
 */
final class Pace {
    /** In seconds: what is known of less says little. */
    private static final double ENOUGH = 60;

    /** Limits are stretched so many times at most: what takes more has become slower itself. */
    private static final double MOST = 2;

    private double known;
    private double taken;

    /** Adds a class or job that ran to its end: the processor seconds it took before, and now. */
    synchronized void add(double before, double now) {
        known += before;
        taken += now;
    }

    /** Returns 1 if this machine is as fast as the earlier one, 2 if it takes twice the time. */
    synchronized double ratio() {
        return known < ENOUGH ? 1 : taken / known;
    }

    /** By how much to stretch a limit of time: never below 1. */
    double stretch() {
        return Math.clamp(ratio(), 1, MOST);
    }
}
