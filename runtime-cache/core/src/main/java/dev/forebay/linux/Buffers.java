package dev.forebay.linux;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * A pool of direct buffers of one size, for short use. Without it, the memory of each buffer would
 * stay allocated until the next garbage collection. Thread-safe.
 */
public final class Buffers {

    /** The maximum number of idle buffers. */
    private static final int KEPT = 16;

    private final BlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(KEPT);
    private final int bytes;

    public Buffers(int bytes) {
        this.bytes = bytes;
    }

    /** Returns a cleared buffer. The content of its memory is undefined. */
    public ByteBuffer take() {
        ByteBuffer buffer = free.poll();
        return buffer != null ? buffer.clear() : ByteBuffer.allocateDirect(bytes);
    }

    /** Returns a buffer to the pool. The caller must not use it afterwards. */
    public void give(ByteBuffer buffer) {
        boolean _ = free.offer(buffer);
    }
}
