package dev.forebay.fuse.fs;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Ranges of files that could not be had in time just now. A kernel that reads ahead forgets that it
 * failed, and asks at once for the page that its reader wants: that one would wait as long once
 * more. Safe for use by many threads.
 */
public final class RecentTimeouts {

    /** How long the kernel may take to ask again. */
    private static final long NANOS = 2_000_000_000L;

    private static final int MOST = 256;

    /** A failure that came sooner may be met once more: the wait is hardly longer for it. */
    private static final long LONG_NANOS = 1_000_000_000L;

    private record Range(Object file, long from, long to, long nanos) {}

    // In order of time; guarded by this.
    private final Deque<Range> ranges = new ArrayDeque<>();

    /**
     * Remembers a range.
     *
     * @param file what tells it from others, by {@code equals}
     */
    public synchronized void add(Object file, long offset, int length) {
        forget();
        if (ranges.size() == MOST) {
            ranges.removeFirst();
        }
        ranges.add(new Range(file, offset, offset + length, System.nanoTime()));
    }

    /**
     * Remembers a range that could not be read, if it was waited for: what reads it gives up by
     * itself, shortly before its time is up.
     *
     * @param since by {@code System.nanoTime()}, when it was asked for
     */
    public void addFailed(Object file, long offset, int length, long since) {
        if (System.nanoTime() - since > LONG_NANOS) {
            add(file, offset, length);
        }
    }

    /** Whether a part of a range is remembered. */
    public synchronized boolean has(Object file, long offset, int length) {
        forget();
        return ranges.stream()
                .anyMatch(
                        each ->
                                each.file.equals(file)
                                        && each.from < offset + length
                                        && offset < each.to);
    }

    private void forget() {
        long now = System.nanoTime();
        while (!ranges.isEmpty() && now - ranges.getFirst().nanos > NANOS) {
            ranges.removeFirst();
        }
    }
}
