package dev.forebay.fuse;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** An open file with its descriptor, for calls that Java does not offer. */
final class NativeFile implements AutoCloseable {

    /** The attributes that {@code fstat} shows. */
    record Status(int errno, long inode, long size, int mode) {}

    private static final int BLOCK = 4096;
    private static final int POSIX_FADV_DONTNEED = 4;

    // The constants and offsets of linux/stat.h and linux/fcntl.h.
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int AT_STATX_FORCE_SYNC = 0x2000;
    private static final int STATX_BASIC_STATS = 0x7ff;
    private static final int STATX_BYTES = 256;
    private static final int STX_MODE = 0x1c;
    private static final int STX_INO = 0x20;
    private static final int STX_SIZE = 0x28;

    private final int descriptor;

    private NativeFile(int descriptor) {
        this.descriptor = descriptor;
    }

    static NativeFile open(Path path) {
        return open(path, Libc.O_RDONLY);
    }

    /** Opens a file for direct I/O; reads must be whole blocks of 4 KiB. */
    static NativeFile openDirect(Path path) {
        return open(path, Libc.O_DIRECT);
    }

    static NativeFile open(Path path, int flags) {
        Libc.Answer opened = Libc.call("open", path, flags);
        if (opened.result() < 0) {
            throw new AssertionError("open " + path + ": errno " + opened.errno());
        }
        return new NativeFile((int) opened.result());
    }

    int descriptor() {
        return descriptor;
    }

    /** Reads into {@code target}, starting at {@code offset}. */
    Libc.Answer read(byte[] target, long offset) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(target.length, BLOCK);
            Libc.Answer answer =
                    Libc.call("pread", descriptor, buffer, (long) target.length, offset);
            MemorySegment.copy(
                    buffer,
                    ValueLayout.JAVA_BYTE,
                    0,
                    target,
                    0,
                    (int) Math.max(0, answer.result()));
            return answer;
        }
    }

    /** Returns attributes of the open file, which the file system must answer again. */
    Status status() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(STATX_BYTES, 8);
            Libc.Answer answer =
                    Libc.call(
                            "statx",
                            descriptor,
                            "",
                            AT_EMPTY_PATH | AT_STATX_FORCE_SYNC,
                            STATX_BASIC_STATS,
                            status);
            return new Status(
                    answer.errno(),
                    status.get(JAVA_LONG, STX_INO),
                    status.get(JAVA_LONG, STX_SIZE),
                    Short.toUnsignedInt(status.get(JAVA_SHORT, STX_MODE)));
        }
    }

    /**
     * Drops the file's pages from the page cache, so that the next read reaches the file system.
     */
    void dropPages() {
        Libc.Answer answer = Libc.call("posix_fadvise", descriptor, 0L, 0L, POSIX_FADV_DONTNEED);
        if (answer.result() != 0) {
            throw new AssertionError("posix_fadvise: " + answer.result());
        }
    }

    @Override
    public void close() {
        Libc.call("close", descriptor);
    }
}
