package dev.forebay.system;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** An open file descriptor, for calls that Java does not offer. */
final class LinuxFile implements AutoCloseable {

    private static final int DIRECT =
            System.getProperty("os.arch").equals("aarch64") ? 0200000 : 040000;
    private static final int DONT_NEED = 4;

    private static final MethodHandle OPEN = function("open", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle READ =
            function("pread", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle ADVISE =
            function("posix_fadvise", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle CLOSE = function("close", JAVA_INT, JAVA_INT);

    private final int descriptor;

    private LinuxFile(int descriptor) {
        this.descriptor = descriptor;
    }

    private static MethodHandle function(
            String name, MemoryLayout result, MemoryLayout... parameters) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(result, parameters));
    }

    static LinuxFile open(Path file) throws IOException {
        return open(file, 0);
    }

    /** Opens a file with O_DIRECT. The caller must read whole blocks. */
    static LinuxFile openDirect(Path file) throws IOException {
        return open(file, DIRECT);
    }

    private static LinuxFile open(Path file, int flags) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = arena.allocateFrom(file.toString());
            int descriptor = (int) answer(() -> (int) OPEN.invokeExact(path, flags));
            return new LinuxFile(descriptor);
        }
    }

    /**
     * Reads bytes.
     *
     * @param target a direct buffer, filled from its start
     * @return the number of bytes read
     */
    int read(ByteBuffer target, int length, long offset) throws IOException {
        MemorySegment memory = MemorySegment.ofBuffer(target.duplicate().clear());
        return (int)
                answer(() -> (long) READ.invokeExact(descriptor, memory, (long) length, offset));
    }

    /** Drops the file's pages from the page cache. */
    void dropPages() throws IOException {
        answer(() -> (int) ADVISE.invokeExact(descriptor, 0L, 0L, DONT_NEED));
    }

    @FunctionalInterface
    private interface Call {
        long run() throws Throwable;
    }

    private static long answer(Call call) throws IOException {
        long answer;
        try {
            answer = call.run();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        if (answer < 0) {
            throw new IOException("a system call failed");
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        answer(() -> (int) CLOSE.invokeExact(descriptor));
    }
}
