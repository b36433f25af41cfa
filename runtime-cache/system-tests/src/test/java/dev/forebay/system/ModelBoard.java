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
 * Shared state of the model's processes: which versions are mounted, which may show wrong bytes,
 * and how many reads were compared. A memory-mapped file.
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
     * Returns an odd number while a version is certainly mounted. If it is the same odd number
     * before and after an operation, the version was mounted throughout.
     */
    long mounted(int version) {
        return (long) LONGS.getVolatile(board, version * 8);
    }

    /** Records that a version starts or stops being certainly mounted. */
    void change(int version) {
        LONGS.getAndAdd(board, version * 8, 1L);
    }

    /**
     * Returns an odd number while flipped bits on the node's disk may be undetected. If it is the
     * same even number before an open and after a read, there were none meanwhile.
     */
    long rotten(int version) {
        return (long) LONGS.getVolatile(board, ROTS + version * 8);
    }

    /** Records that a version starts or stops possibly showing wrong bytes. */
    void rot(int version) {
        LONGS.getAndAdd(board, ROTS + version * 8, 1L);
    }

    /** Returns the number of reads that a reader has compared. */
    long reads(int reader) {
        return (long) LONGS.getVolatile(board, READERS + reader * 8);
    }

    void countReads(int reader, long more) {
        LONGS.getAndAdd(board, READERS + reader * 8, more);
    }
}
