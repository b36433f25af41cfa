package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * A bounded pool of buffers of one chunk each, outside the heap.
 *
 * <p>Buffers are made when they are first needed and then kept, so a worker that never misses never
 * pays for them. Safe for use by many threads.
 */
final class ChunkBuffers {

    private final ConcurrentLinkedDeque<ByteBuffer> idle = new ConcurrentLinkedDeque<>();
    private final Permits permits;

    ChunkBuffers(int count, int queueLimit) {
        this.permits = new Permits("a chunk buffer (forebay.worker.fill)", count, queueLimit);
    }

    /**
     * Borrows a buffer of {@code length} bytes, waiting for it. It has in it whatever its last
     * borrower left.
     */
    Lease borrow(int length, Urgency urgency, Duration timeout) {
        permits.acquire(urgency, timeout);
        try {
            ByteBuffer buffer = idle.poll();
            if (buffer == null) {
                buffer = ByteBuffer.allocateDirect(ChunkId.CHUNK_BYTES);
            }
            return new Lease(buffer, length);
        } catch (Throwable e) {
            permits.release();
            throw e;
        }
    }

    /** A borrowed buffer; closing gives it back. */
    final class Lease implements AutoCloseable {

        private final ByteBuffer whole;
        private final int length;

        private Lease(ByteBuffer whole, int length) {
            this.whole = whole;
            this.length = length;
        }

        /** A view of the buffer from its first byte, with a position of its own. */
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
