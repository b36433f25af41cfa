package dev.forebay.transfer;

/**
 * Bounds how many reads ask a second worker: each read adds a share of a token, and a second
 * question takes a whole one. Safe for use by many threads.
 */
final class HedgeBudget {

    /** So many may be asked one after another when there were none for a while. */
    private static final int BURST = 10;

    private final double share;
    private double tokens = BURST;

    HedgeBudget(double share) {
        this.share = share;
    }

    synchronized void earn() {
        tokens = Math.min(BURST, tokens + share);
    }

    synchronized boolean take() {
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }
}
