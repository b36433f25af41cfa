package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import dev.forebay.thread.CatchAll;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * A bounded pool of buffers outside the heap, each for one chunk.
 *
 * <p>The pool allocates a buffer on first need and keeps it, so a worker without misses allocates
 * none. Safe for use by many threads.
 */
final class ChunkBuffers {

    private final ConcurrentLinkedDeque<ByteBuffer> idle = new ConcurrentLinkedDeque<>();
    private final Permits permits;

    ChunkBuffers(int count, int queueLimit) {
        this.permits =
                new Permits("a chunk buffer (forebay.worker.fill.concurrency)", count, queueLimit);
    }

    /**
     * Borrows a buffer of {@code length} bytes, and waits until one is free. The buffer still
     * contains the bytes of its previous use.
     */
    Lease borrow(int length, Urgency urgency, Duration timeout) {
        permits.acquire(urgency, timeout);
        return CatchAll.closeOnFailure(
                permits::release,
                () -> {
                    ByteBuffer buffer = idle.poll();
                    return new Lease(
                            buffer == null
                                    ? ByteBuffer.allocateDirect(ChunkId.CHUNK_BYTES)
                                    : buffer,
                            length);
                });
    }

    /** A borrowed buffer. Closing it returns the buffer to the pool. */
    final class Lease implements AutoCloseable {

        private final ByteBuffer whole;
        private final int length;

        private Lease(ByteBuffer whole, int length) {
            this.whole = whole;
            this.length = length;
        }

        /** Returns a view of the buffer from its first byte, with its own position. */
        ByteBuffer bytes() {
            return whole.slice(0, length);
        }

        @Override
        public void close() {
            idle.push(whole);
            permits.release();
        }
    }
}
