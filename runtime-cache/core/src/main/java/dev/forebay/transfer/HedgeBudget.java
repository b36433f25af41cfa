package dev.forebay.transfer;

/**
 * Limits the share of reads that ask a second worker. Each read adds a fraction of a token, and
 * each request to a second worker takes a whole token. Safe for use by many threads.
 */
final class HedgeBudget {

    /** The maximum number of such requests in a row, after a time without any. */
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
