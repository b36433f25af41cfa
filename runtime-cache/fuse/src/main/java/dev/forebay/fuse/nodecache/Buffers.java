package dev.forebay.fuse.nodecache;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Memory of one size for short use, outside the heap. Safe for use by many threads. */
final class Buffers {

    /** How many are kept that nobody uses. */
    private static final int KEPT = 16;

    private final BlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(KEPT);
    private final int bytes;

    Buffers(int bytes) {
        this.bytes = bytes;
    }

    /** One that is empty; what is in its memory is not said. */
    ByteBuffer take() {
        ByteBuffer buffer = free.poll();
        return buffer != null ? buffer.clear() : ByteBuffer.allocateDirect(bytes);
    }

    void give(ByteBuffer buffer) {
        boolean _ = free.offer(buffer);
    }
}
