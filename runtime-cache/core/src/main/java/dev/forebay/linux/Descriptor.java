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
 * A file descriptor of this process. Safe for use by many threads, except that nobody may use it
 * when it is closed: its number can be another's by then.
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

    /** Nobody reads it; there may be no memory for one of its own when something is closed. */
    private static final CallState OF_CLOSE = new CallState();

    private final int number;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Descriptor(int number) {
        this.number = number;
    }

    /** Takes over a descriptor that this process has got otherwise. */
    public static Descriptor of(int number) {
        return new Descriptor(number);
    }

    /** Of a file that is made; less what the umask takes away. */
    private static final int READ_AND_WRITE_FOR_ALL = 0666;

    /**
     * Opens a file; no child inherits the descriptor.
     *
     * @param flags see open(2)
     */
    public static Descriptor open(Path path, int flags) throws SystemCallException {
        CallState state = new CallState();
        int number;
        try (Arena arena = Arena.ofConfined()) {
            number =
                    (int)
                            OPEN.invokeExact(
                                    state.segment(),
                                    CLibrary.text(arena, path),
                                    flags | O_CLOEXEC,
                                    READ_AND_WRITE_FOR_ALL);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
        if (number < 0) {
            throw state.failed("open " + path);
        }
        return new Descriptor(number);
    }

    public int number() {
        return number;
    }

    /**
     * Reads into a buffer from its start; the number of bytes, or -1 with the error in the state.
     */
    public long read(MemorySegment buffer, CallState state) {
        try {
            return (long) READ.invokeExact(state.segment(), number, buffer, buffer.byteSize());
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
    }

    /**
     * Writes the first bytes of a buffer; the number of bytes, or -1 with the error in the state.
     */
    public long write(MemorySegment buffer, long bytes, CallState state) {
        try {
            return (long) WRITE.invokeExact(state.segment(), number, buffer, bytes);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
    }

    /** See ioctl(2). */
    public int ioctl(long request, MemorySegment argument) throws SystemCallException {
        CallState state = new CallState();
        int result;
        try {
            result = (int) IOCTL.invokeExact(state.segment(), number, request, argument);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
        if (result < 0) {
            throw state.failed("ioctl 0x%x".formatted(request));
        }
        return result;
    }

    /** Closes it; again is nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                int _ = (int) CLOSE.invokeExact(OF_CLOSE.segment(), number);
            } catch (Throwable e) {
                throw CLibrary.impossible(e);
            }
        }
    }

    @Override
    public String toString() {
        return "descriptor " + number;
    }
}
