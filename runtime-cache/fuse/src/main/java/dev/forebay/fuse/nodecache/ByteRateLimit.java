package dev.forebay.fuse.nodecache;

import java.util.concurrent.TimeUnit;

/** Limits the number of bytes per second. Thread-safe. */
final class ByteRateLimit {

    private final double nanosPerByte;

    // Guarded by this.
    private long freeAt = System.nanoTime();

    ByteRateLimit(long bytesPerSecond) {
        this.nanosPerByte = (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    }

    /** Waits until these bytes may pass. */
    void await(long bytes) throws InterruptedException {
        long turn;
        synchronized (this) {
            turn = Math.max(freeAt, System.nanoTime());
            freeAt = turn + (long) (bytes * nanosPerByte);
        }
        TimeUnit.NANOSECONDS.sleep(turn - System.nanoTime());
    }
}
