package dev.forebay.fuse.nodecache;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Memory for pieces on their way, outside the heap. Safe for use by many threads. */
final class Buffers {

    /** How many are kept; each that is fetching has one. */
    private static final int KEPT = 16;

    private final BlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(KEPT);

    /** One of a piece's size, empty. */
    ByteBuffer take() {
        ByteBuffer buffer = free.poll();
        return buffer != null ? buffer.clear() : ByteBuffer.allocateDirect(Sizes.PIECE);
    }

    void give(ByteBuffer buffer) {
        boolean _ = free.offer(buffer);
    }
}
