package dev.forebay.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What the processes of the model tell each other: which versions are mounted, which may show wrong
 * bytes, and how much was read. A mapped file.
 */
final class ModelBoard {

    private static final VarHandle LONGS =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int BYTES = 4096;
    private static final int ROTS = 128;
    private static final int READERS = 256;

    private final ByteBuffer board;

    private ModelBoard(ByteBuffer board) {
        this.board = board;
    }

    static ModelBoard open(Path file) {
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            return new ModelBoard(channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Odd while a version is mounted for certain. Who finds the same odd number before and after an
     * operation knows that it was mounted all the time.
     */
    long mounted(int version) {
        return (long) LONGS.getVolatile(board, version * 8);
    }

    /** Between being mounted and not, or back. */
    void change(int version) {
        LONGS.getAndAdd(board, version * 8, 1L);
    }

    /**
     * Odd while bits have flipped on the node's disk that nobody may have found. Who finds the same
     * even number before a file is opened and after it was read knows that there were none.
     */
    long rotten(int version) {
        return (long) LONGS.getVolatile(board, ROTS + version * 8);
    }

    /** Between being rotten and not, or back. */
    void rot(int version) {
        LONGS.getAndAdd(board, ROTS + version * 8, 1L);
    }

    /** How many reads a reader has compared. */
    long reads(int reader) {
        return (long) LONGS.getVolatile(board, READERS + reader * 8);
    }

    void countReads(int reader, long more) {
        LONGS.getAndAdd(board, READERS + reader * 8, more);
    }
}
