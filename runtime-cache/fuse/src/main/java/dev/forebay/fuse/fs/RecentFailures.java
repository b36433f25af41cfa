package dev.forebay.fuse.fs;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

/**
 * Ranges of files that could not be read just now, and until when their readers wait. A kernel that
 * reads ahead forgets that it failed, and asks at once for the page that its reader wants: that one
 * waits for what is left of the reader's time, and not for all of it once more. Safe for use by
 * many threads.
 */
public final class RecentFailures {

    /** How long the kernel may take to ask again. */
    static final long NANOS = 2_000_000_000L;

    static final int MOST = 256;

    private record Range(Object file, long from, long to, long deadline, long failed) {

        boolean meets(Object other, long offset, int length) {
            return file.equals(other) && from < offset + length && offset < to;
        }
    }

    // In order of their failures; guarded by this.
    private final Deque<Range> ranges = new ArrayDeque<>();
    private final LongSupplier nanoTime;

    public RecentFailures() {
        this(System::nanoTime);
    }

    RecentFailures(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Remembers a range.
     *
     * @param file what tells it from others, by {@code equals}
     * @param deadline by {@code System.nanoTime()}, when its reader's time is up
     */
    public synchronized void add(Object file, long offset, int length, long deadline) {
        if (ranges.size() == MOST) {
            ranges.removeFirst();
        }
        ranges.add(new Range(file, offset, offset + length, deadline, nanoTime.getAsLong()));
    }

    /**
     * Until when who asks for a range now may wait.
     *
     * @param usual the same, if no part of it has failed just now
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
