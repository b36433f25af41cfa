package dev.forebay.fuse.nodecache;

import java.util.concurrent.TimeUnit;

/** Lets no more than so many bytes a second pass. Safe for use by many threads. */
final class Pace {

    private final double nanosPerByte;

    // Guarded by this.
    private long freeAt = System.nanoTime();

    Pace(long bytesPerSecond) {
        this.nanosPerByte = (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    }

    /** Waits until it is the turn of these bytes. */
    void await(long bytes) throws InterruptedException {
        long turn;
        synchronized (this) {
            turn = Math.max(freeAt, System.nanoTime());
            freeAt = turn + (long) (bytes * nanosPerByte);
        }
        TimeUnit.NANOSECONDS.sleep(turn - System.nanoTime());
    }
}
