package dev.forebay.agent;

import java.util.BitSet;

/**
 * What of a range of chunks is finished, in any order, boiled down to one number: the lowest that
 * is not. Safe for use by many threads.
 */
final class RangeCursor {

    private final BitSet finishedAbove = new BitSet();
    private long lowest;
    private long bytesFromLake;

    RangeCursor(long from, long bytesFromLake) {
        this.lowest = from;
        this.bytesFromLake = bytesFromLake;
    }

    synchronized void finished(long ordinal, long fromLake) {
        bytesFromLake += fromLake;
        finishedAbove.set(Math.toIntExact(ordinal - lowest));
        int run = finishedAbove.nextClearBit(0);
        if (run > 0) {
            lowest += run;
            shiftDown(run);
        }
    }

    /** What a heartbeat carries. */
    synchronized WarmProgress progress() {
        return new WarmProgress(lowest, bytesFromLake);
    }

    private void shiftDown(int by) {
        BitSet shifted = finishedAbove.get(by, finishedAbove.length());
        finishedAbove.clear();
        finishedAbove.or(shifted);
    }
}
