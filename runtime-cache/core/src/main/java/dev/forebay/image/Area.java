package dev.forebay.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/** A part of a file that is written sequentially through a buffer. Not thread-safe. */
final class Area {

    private static final int BUFFER_BYTES = 1 << 20;

    private final FileChannel channel;
    private final long from;
    private final ByteBuffer buffer =
            ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private long flushed;

    /**
     * @param from where the area begins in the file
     */
    Area(FileChannel channel, long from) {
        this.channel = channel;
        this.from = from;
    }

    /** Returns how many bytes were put so far. */
    long bytes() {
        return flushed + buffer.position();
    }

    /**
     * Returns the buffer for the next bytes, little-endian.
     *
     * @param bytes how many bytes it must have space for, at most 1 MiB
     */
    ByteBuffer extend(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            flush();
        }
        return buffer;
    }

    /** Puts zeros up to the next multiple of {@code alignment}, which is at most 1 MiB. */
    void align(int alignment) throws IOException {
        zeros(Math.toIntExact(Math.ceilDiv(bytes(), (long) alignment) * alignment - bytes()));
    }

    /** Puts at most 1 MiB of zeros. */
    void zeros(int count) throws IOException {
        extend(count).put(new byte[count]);
    }

    void flush() throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            flushed += channel.write(buffer, from + flushed);
        }
        buffer.clear();
    }
}
