package dev.forebay.linux;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Memory of one size for short use, outside the heap. What is allocated there for each use stays
 * until the heap is collected, which need not be soon. Safe for use by many threads.
 */
public final class Buffers {

    /** How many are kept that nobody uses. */
    private static final int KEPT = 16;

    private final BlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(KEPT);
    private final int bytes;

    public Buffers(int bytes) {
        this.bytes = bytes;
    }

    /** One that is empty; what is in its memory is not said. */
    public ByteBuffer take() {
        ByteBuffer buffer = free.poll();
        return buffer != null ? buffer.clear() : ByteBuffer.allocateDirect(bytes);
    }

    /** Gives one back, to be used no more. */
    public void give(ByteBuffer buffer) {
        boolean _ = free.offer(buffer);
    }
}
