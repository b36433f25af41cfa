package dev.forebay.workflows;

import java.time.Duration;

/** Holds up the activities of a fake until a test opens the gate. Thread-safe. */
final class Gate {

    private long first = Long.MAX_VALUE;

    /** Holds up everything. */
    void close() {
        closeFrom(0);
    }

    /** Holds up work on this chunk and later ones. */
    synchronized void closeFrom(long ordinal) {
        first = ordinal;
        notifyAll();
    }

    void open() {
        closeFrom(Long.MAX_VALUE);
    }

    /** Waits until the gate is open, or until the worker shuts down. */
    synchronized void await() {
        try {
            while (first == 0) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits, for a bounded time, until a chunk may pass. Returns whether it may. */
    synchronized boolean awaitChunk(long ordinal, Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        try {
            for (long left; ordinal >= first && (left = end - System.nanoTime()) > 0; ) {
                wait(Math.ceilDiv(left, 1_000_000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ordinal < first;
    }
}
