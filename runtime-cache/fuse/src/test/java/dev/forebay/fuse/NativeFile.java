package dev.forebay.fuse;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * An open file by its descriptor, for what Java does not show: error numbers, and attributes that
 * do not come from the kernel's memory.
 */
final class NativeFile implements AutoCloseable {

    /** What a call answered: its result, or the error number. */
    record Answer(long result, int errno) {}

    /** What {@code fstat} shows. */
    record Status(int errno, long inode, long size, int mode) {}

    private static final int BLOCK = 4096;
    private static final int O_RDONLY = 0;
    private static final int O_DIRECT =
            System.getProperty("os.arch").equals("aarch64") ? 0200000 : 040000;
    private static final int POSIX_FADV_DONTNEED = 4;

    // The constants and offsets of linux/stat.h and linux/fcntl.h.
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int AT_STATX_FORCE_SYNC = 0x2000;
    private static final int STATX_BASIC_STATS = 0x7ff;
    private static final int STATX_BYTES = 256;
    private static final int STX_MODE = 0x1c;
    private static final int STX_INO = 0x20;
    private static final int STX_SIZE = 0x28;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final MethodHandle OPEN =
            function("open", 2, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle PREAD =
            function(
                    "pread",
                    -1,
                    FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle STATX =
            function(
                    "statx",
                    -1,
                    FunctionDescriptor.of(
                            JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle FADVISE =
            function(
                    "posix_fadvise",
                    -1,
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle CLOSE =
            function("close", -1, FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private final int descriptor;

    private NativeFile(int descriptor) {
        this.descriptor = descriptor;
    }

    private static MethodHandle function(String name, int variadicFrom, FunctionDescriptor type) {
        Linker.Option errno = Linker.Option.captureCallState("errno");
        MemorySegment address = LINKER.defaultLookup().findOrThrow(name);
        return variadicFrom < 0
                ? LINKER.downcallHandle(address, type, errno)
                : LINKER.downcallHandle(
                        address, type, errno, Linker.Option.firstVariadicArg(variadicFrom));
    }

    static NativeFile open(Path path) {
        return open(path, O_RDONLY);
    }

    /** Opens a file past the kernel's page cache; to be read in whole blocks of 4 KiB. */
    static NativeFile openDirect(Path path) {
        return open(path, O_DIRECT);
    }

    private static NativeFile open(Path path, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            Answer opened =
                    call(
                            arena,
                            state ->
                                    (int)
                                            OPEN.invokeExact(
                                                    state,
                                                    arena.allocateFrom(path.toString()),
                                                    flags));
            if (opened.result < 0) {
                throw new AssertionError("open " + path + ": errno " + opened.errno);
            }
            return new NativeFile((int) opened.result);
        }
    }

    /** Reads into {@code target}, from {@code offset} on. */
    Answer read(byte[] target, long offset) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(target.length, BLOCK);
            Answer answer =
                    call(
                            arena,
                            state ->
                                    (long)
                                            PREAD.invokeExact(
                                                    state,
                                                    descriptor,
                                                    buffer,
                                                    (long) target.length,
                                                    offset));
            MemorySegment.copy(
                    buffer, ValueLayout.JAVA_BYTE, 0, target, 0, (int) Math.max(0, answer.result));
            return answer;
        }
    }

    /** Attributes of the open file, asked of the file system anew. */
    Status status() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(STATX_BYTES, 8);
            Answer answer =
                    call(
                            arena,
                            state ->
                                    (int)
                                            STATX.invokeExact(
                                                    state,
                                                    descriptor,
                                                    arena.allocateFrom(""),
                                                    AT_EMPTY_PATH | AT_STATX_FORCE_SYNC,
                                                    STATX_BASIC_STATS,
                                                    status));
            return new Status(
                    answer.errno,
                    status.get(JAVA_LONG, STX_INO),
                    status.get(JAVA_LONG, STX_SIZE),
                    Short.toUnsignedInt(status.get(JAVA_SHORT, STX_MODE)));
        }
    }

    /** Lets the kernel forget the file's pages, so that the file system is asked again. */
    void dropPages() {
        try (Arena arena = Arena.ofConfined()) {
            Answer answer =
                    call(
                            arena,
                            state ->
                                    (int)
                                            FADVISE.invokeExact(
                                                    state,
                                                    descriptor,
                                                    0L,
                                                    0L,
                                                    POSIX_FADV_DONTNEED));
            if (answer.result != 0) {
                throw new AssertionError("posix_fadvise: " + answer.result);
            }
        }
    }

    @Override
    public void close() {
        try (Arena arena = Arena.ofConfined()) {
            call(arena, state -> (int) CLOSE.invokeExact(state, descriptor));
        }
    }

    @FunctionalInterface
    private interface Call {
        long run(MemorySegment state) throws Throwable;
    }

    private static Answer call(Arena arena, Call call) {
        MemorySegment state = arena.allocate(STATE);
        long result;
        try {
            result = call.run(state);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        long errno = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
        return new Answer(result, result < 0 ? state.get(JAVA_INT, errno) : 0);
    }
}
