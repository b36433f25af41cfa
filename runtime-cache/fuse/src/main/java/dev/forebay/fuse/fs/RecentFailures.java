package dev.forebay.fuse.fs;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

/**
 * Remembers ranges of files whose reads failed recently, with the deadlines of those reads.
 *
 * <p>The kernel does not report a failed read-ahead. It asks again at once for the page that its
 * reader wants. The second request gets only the rest of the reader's time instead of a full new
 * timeout. Thread-safe.
 */
public final class RecentFailures {

    /** The time within which the kernel asks again. */
    static final long NANOS = 2_000_000_000L;

    static final int MOST = 256;

    private record Range(Object file, long from, long to, long deadline, long failed) {

        boolean meets(Object other, long offset, int length) {
            return file.equals(other) && from < offset + length && offset < to;
        }
    }

    // In the order of the failures; guarded by this.
    private final Deque<Range> ranges = new ArrayDeque<>();
    private final LongSupplier nanoTime;

    public RecentFailures() {
        this(System::nanoTime);
    }

    RecentFailures(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Remembers a range whose read failed.
     *
     * @param file identifies the file by {@code equals}
     * @param deadline the deadline of the failed read, by {@code System.nanoTime()}
     */
    public synchronized void add(Object file, long offset, int length, long deadline) {
        if (ranges.size() == MOST) {
            ranges.removeFirst();
        }
        ranges.add(new Range(file, offset, offset + length, deadline, nanoTime.getAsLong()));
    }

    /**
     * Returns the deadline of a read that starts now.
     *
     * @param usual the deadline if no part of the range has failed recently
     * @return by {@code System.nanoTime()}; may have passed
     */
    public synchronized long deadline(Object file, long offset, int length, long usual) {
        forget();
        long earliest = usual;
        for (Range range : ranges) {
            if (range.meets(file, offset, length) && range.deadline - earliest < 0) {
                earliest = range.deadline;
            }
        }
        return earliest;
    }

    private void forget() {
        long now = nanoTime.getAsLong();
        while (!ranges.isEmpty() && now - ranges.getFirst().failed > NANOS) {
            ranges.removeFirst();
        }
    }
}
