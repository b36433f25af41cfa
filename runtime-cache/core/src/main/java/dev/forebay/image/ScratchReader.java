package dev.forebay.image;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/** Reads a file sequentially through a buffer. Not thread-safe. */
final class ScratchReader {

    private static final int BUFFER_BYTES = 1 << 20;

    private final FileChannel channel;
    private final ByteBuffer buffer =
            ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN).limit(0);
    private long read;

    ScratchReader(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Returns the buffer with at least the next {@code bytes}, little-endian. The caller consumes
     * bytes by reading them.
     */
    ByteBuffer next(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            buffer.compact();
            do {
                int count = channel.read(buffer, read);
                if (count < 0) {
                    throw new EOFException("a scratch file ends at " + read);
                }
                read += count;
            } while (buffer.position() < bytes);
            buffer.flip();
        }
        return buffer;
    }
}
