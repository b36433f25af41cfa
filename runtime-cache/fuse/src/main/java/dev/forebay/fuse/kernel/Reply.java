package dev.forebay.fuse.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.forebay.fuse.kernel.protocol.ReplyHeader;
import dev.forebay.fuse.linux.LockedMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A reply under construction, in memory that one thread reuses for all its replies.
 *
 * <p>The memory is touched and locked. If the process is killed while the kernel waits for one of
 * its pages, the reader gets an error. No successor can answer that request. Replies are never sent
 * from a mapped file for the same reason.
 */
final class Reply {

    /** The position after the header. */
    static final int BODY = ReplyHeader.BYTES;

    private final MemorySegment memory;
    private final ByteBuffer bytes;
    private final int capacity;

    /**
     * @param capacity the maximum number of bytes after the header
     */
    Reply(int capacity) {
        this.capacity = capacity;
        this.memory = LockedMemory.allocate((long) BODY + capacity);
        this.bytes = memory.asByteBuffer();
    }

    MemorySegment memory() {
        return memory;
    }

    /**
     * Returns the number of bytes that may follow the header, at most those that the kernel wants.
     */
    int capacity(int wanted) {
        return Math.clamp(wanted, 0, capacity);
    }

    /** Returns a buffer for this many bytes after the header. All replies share the same memory. */
    ByteBuffer buffer(int length) {
        return bytes.clear().position(BODY).limit(BODY + length);
    }

    /** Writes bytes after the header and returns their number. */
    int put(byte[] content) {
        MemorySegment.copy(content, 0, memory, JAVA_BYTE, BODY, content.length);
        return content.length;
    }

    /**
     * Writes the header.
     *
     * @param result the number of bytes after it, or a negative error number
     * @return the length of the whole reply
     * @throws IllegalStateException if the result exceeds the buffer, which would send foreign
     *     memory
     */
    int finish(int result, long unique) {
        if (result > capacity) {
            throw new IllegalStateException(
                    "a reply of %d bytes, with a capacity of %d".formatted(result, capacity));
        }
        int length = BODY + Math.max(result, 0);
        ReplyHeader.write(memory, length, Math.min(result, 0), unique);
        return length;
    }
}
