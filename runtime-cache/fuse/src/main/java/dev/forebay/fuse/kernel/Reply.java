package dev.forebay.fuse.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.forebay.fuse.kernel.protocol.ReplyHeader;
import dev.forebay.fuse.linux.LockedMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The reply that a thread is making, in memory that it uses for one after the other.
 *
 * <p>The memory is touched and locked: a process that is killed while the kernel waits for one of
 * its pages gives the reader an error, and no successor can answer that request any more. For the
 * same reason nothing is ever answered out of a mapped file.
 */
final class Reply {

    /** Where what follows the header begins. */
    static final int BODY = ReplyHeader.BYTES;

    private final MemorySegment memory;
    private final ByteBuffer bytes;
    private final int room;

    /**
     * @param room how many bytes can follow the header
     */
    Reply(int room) {
        this.room = room;
        this.memory = LockedMemory.allocate((long) BODY + room);
        this.bytes = memory.asByteBuffer();
    }

    MemorySegment memory() {
        return memory;
    }

    /** How many bytes may follow the header, of those that the kernel would like to have. */
    int room(int wanted) {
        return Math.clamp(wanted, 0, room);
    }

    /** A buffer for so many bytes behind the header, the same for each reply. */
    ByteBuffer buffer(int length) {
        return bytes.clear().position(BODY).limit(BODY + length);
    }

    /** Puts bytes behind the header; their number. */
    int put(byte[] content) {
        MemorySegment.copy(content, 0, memory, JAVA_BYTE, BODY, content.length);
        return content.length;
    }

    /**
     * Writes the header.
     *
     * @param result how many bytes follow it, or a negative error number
     * @return the length of the whole
     * @throws IllegalStateException if so many cannot have been put there: what is behind this
     *     memory is nobody's business
     */
    int finish(int result, long unique) {
        if (result > room) {
            throw new IllegalStateException(
                    "a reply of %d bytes, with room for %d".formatted(result, room));
        }
        int length = BODY + Math.max(result, 0);
        ReplyHeader.write(memory, length, Math.min(result, 0), unique);
        return length;
    }
}
