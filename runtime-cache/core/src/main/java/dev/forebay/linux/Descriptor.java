package dev.forebay.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file descriptor of this process. Thread-safe, but no thread may use it once it is closed: the
 * kernel may reuse its number for another file.
 */
public final class Descriptor implements AutoCloseable {

    public static final int O_RDONLY = 0;
    public static final int O_RDWR = 2;
    public static final int O_CREAT = 0100;
    public static final int O_EXCL = 0200;
    private static final int O_CLOEXEC = 02000000;
    public static final int O_PATH = 010000000;

    private static final MethodHandle OPEN =
            CLibrary.variadic(
                    "open", 2, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
    private static final MethodHandle CLOSE =
            CLibrary.function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle READ =
            CLibrary.function(
                    "read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle WRITE =
            CLibrary.function(
                    "write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle IOCTL =
            CLibrary.variadic(
                    "ioctl", 2, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS));

    /**
     * All calls of close share one state, and no code reads it. Allocating a state could fail when
     * memory runs out, and close must still work.
     */
    private static final CallState OF_CLOSE = new CallState();

    private final int number;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Descriptor(int number) {
        this.number = number;
    }

    /** Takes ownership of a descriptor that was opened elsewhere. */
    public static Descriptor of(int number) {
        return new Descriptor(number);
    }

    /** The mode of a new file, before the umask is applied. */
    private static final int READ_AND_WRITE_FOR_ALL = 0666;

    /**
     * Opens a file. Child processes do not inherit the descriptor.
     *
     * @param flags see open(2)
     */
    public static Descriptor open(Path path, int flags) throws SystemCallException {
        CallState state = new CallState();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = CLibrary.text(arena, path);
            int number =
                    CLibrary.makeInt(
                            () ->
                                    (int)
                                            OPEN.invokeExact(
                                                    state.segment(),
                                                    name,
                                                    flags | O_CLOEXEC,
                                                    READ_AND_WRITE_FOR_ALL));
            state.check(number, "open", path);
            return new Descriptor(number);
        }
    }

    public int number() {
        return number;
    }

    /**
     * Reads into a buffer from its start. Returns the number of bytes, or -1 with the error in the
     * state.
     */
    public long read(MemorySegment buffer, CallState state) {
        return CLibrary.makeLong(
                () -> (long) READ.invokeExact(state.segment(), number, buffer, buffer.byteSize()));
    }

    /**
     * Writes the first bytes of a buffer. Returns the number of bytes, or -1 with the error in the
     * state.
     */
    public long write(MemorySegment buffer, long bytes, CallState state) {
        return CLibrary.makeLong(
                () -> (long) WRITE.invokeExact(state.segment(), number, buffer, bytes));
    }

    /** Calls ioctl(2). */
    public int ioctl(long request, MemorySegment argument) throws SystemCallException {
        CallState state = new CallState();
        int result =
                CLibrary.makeInt(
                        () -> (int) IOCTL.invokeExact(state.segment(), number, request, argument));
        if (result < 0) {
            throw state.failed("ioctl 0x%x".formatted(request));
        }
        return result;
    }

    /** Closes the descriptor. Repeated calls have no effect. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            int _ = CLibrary.call(CLOSE, OF_CLOSE, number);
        }
    }

    @Override
    public String toString() {
        return "descriptor " + number;
    }
}
