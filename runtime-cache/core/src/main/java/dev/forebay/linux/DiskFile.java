package dev.forebay.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * A regular file, read and written at positions, with holes.
 *
 * <p>Unlike a {@link java.nio.channels.FileChannel} it takes no lock per read, is not closed under
 * everybody by the interrupt of one thread, and can make holes. Calls block their thread, a virtual
 * one's carrier too. Safe for use by many threads, except that nobody may use it when it is closed.
 *
 * <p>Buffers to read into are outside the heap; of those to write, what is on it is copied first.
 */
public final class DiskFile implements AutoCloseable {

    /** As a number of bytes: all from a position on. */
    public static final long TO_THE_END = 0;

    private static final int PUNCH_HOLE_KEEP_SIZE = 2 | 1;
    private static final int POSIX_FADV_WILLNEED = 3;
    private static final int POSIX_FADV_DONTNEED = 4;

    private static final MethodHandle PREAD =
            CLibrary.function(
                    "pread",
                    FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle PWRITE =
            CLibrary.function(
                    "pwrite",
                    FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle PWRITEV2 =
            CLibrary.function(
                    "pwritev2",
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG, JAVA_INT));

    /** Linux 6.14, include/uapi/linux/fs.h. */
    private static final int RWF_DONTCACHE = 0x80;

    private static final MethodHandle FDATASYNC =
            CLibrary.function("fdatasync", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle FTRUNCATE =
            CLibrary.function("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle FALLOCATE =
            CLibrary.function(
                    "fallocate",
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle FCNTL =
            CLibrary.variadic(
                    "fcntl", 2, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));

    // include/uapi/asm-generic/fcntl.h and include/uapi/linux/fcntl.h
    private static final int F_SETSIG = 10;
    private static final int F_SETLEASE = 1024;
    private static final int F_WRLCK = 1;
    private static final int F_UNLCK = 2;

    /** Ignored unless somebody asks for it, unlike SIGIO. */
    private static final int SIGURG = 23;

    private static final MethodHandle POSIX_FADVISE =
            CLibrary.function(
                    "posix_fadvise",
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final ThreadLocal<CallState> STATES = ThreadLocal.withInitial(CallState::new);

    /** A {@code struct iovec}. */
    private static final ThreadLocal<MemorySegment> VECTORS =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(ADDRESS, 2));

    private final Path path;
    private final Descriptor descriptor;
    private volatile boolean canDropBehind = true;

    private DiskFile(Path path, Descriptor descriptor) {
        this.path = path;
        this.descriptor = descriptor;
    }

    /** Opens a file that is there, for reading and writing. */
    public static DiskFile open(Path path) throws SystemCallException {
        return new DiskFile(path, Descriptor.open(path, Descriptor.O_RDWR));
    }

    /** Opens a file that is there, for reading only. */
    public static DiskFile openToRead(Path path) throws SystemCallException {
        return new DiskFile(path, Descriptor.open(path, Descriptor.O_RDONLY));
    }

    /** Makes a file that is not there, for reading and writing. */
    public static DiskFile create(Path path) throws SystemCallException {
        return new DiskFile(
                path,
                Descriptor.open(path, Descriptor.O_RDWR | Descriptor.O_CREAT | Descriptor.O_EXCL));
    }

    /**
     * Reads until the target is full or the file ends.
     *
     * @return how many bytes were read
     */
    public long read(MemorySegment target, long position) throws SystemCallException {
        long done = 0;
        while (done < target.byteSize()) {
            long bytes;
            CallState state = STATES.get();
            MemorySegment rest = target.asSlice(done);
            try {
                bytes =
                        (long)
                                PREAD.invokeExact(
                                        state.segment(),
                                        descriptor.number(),
                                        rest,
                                        rest.byteSize(),
                                        position + done);
            } catch (Throwable e) {
                throw CLibrary.impossible(e);
            }
            if (bytes == 0) {
                break;
            }
            if (bytes > 0) {
                done += bytes;
            } else if (state.errno() != ErrorNumber.EINTR) {
                throw state.failed("read " + path);
            }
        }
        return done;
    }

    /** Has the kernel begin to read a range into the page cache; no more than a wish. */
    public void willRead(long position, long bytes) {
        advise(position, bytes, POSIX_FADV_WILLNEED);
    }

    /**
     * Has the kernel drop what it has of a range in the page cache; what is not written to the disk
     * yet, or is mapped, stays.
     *
     * @param bytes may be {@link #TO_THE_END}
     */
    public void forget(long position, long bytes) {
        advise(position, bytes, POSIX_FADV_DONTNEED);
    }

    private void advise(long position, long bytes, int advice) {
        CallState state = STATES.get();
        try {
            int _ =
                    (int)
                            POSIX_FADVISE.invokeExact(
                                    state.segment(), descriptor.number(), position, bytes, advice);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
    }

    /** Writes all of the source. */
    public void write(MemorySegment source, long position) throws SystemCallException {
        write(source, position, false);
    }

    /**
     * Writes all of the source, and has the kernel forget the pages as soon as they are on the
     * device, if it and the file system can do that. For what is not read again soon: then memory
     * is not filled with it, and few pages are used over and over.
     */
    public void writeBehind(MemorySegment source, long position) throws SystemCallException {
        write(source, position, true);
    }

    private void write(MemorySegment source, long position, boolean dropBehind)
            throws SystemCallException {
        if (!source.isNative()) {
            try (Arena arena = Arena.ofConfined()) {
                write(arena.allocate(source.byteSize()).copyFrom(source), position, dropBehind);
            }
            return;
        }
        CallState state = STATES.get();
        long done = 0;
        while (done < source.byteSize()) {
            boolean drop = dropBehind && canDropBehind;
            MemorySegment rest = source.asSlice(done);
            long bytes =
                    drop
                            ? pwriteBehind(state, rest, position + done)
                            : pwrite(state, rest, position + done);
            if (bytes >= 0) {
                done += bytes;
            } else if (drop && state.errno() == ErrorNumber.EOPNOTSUPP) {
                canDropBehind = false;
            } else if (state.errno() != ErrorNumber.EINTR) {
                throw state.failed("write " + path);
            }
        }
    }

    private long pwrite(CallState state, MemorySegment source, long position) {
        try {
            return (long)
                    PWRITE.invokeExact(
                            state.segment(),
                            descriptor.number(),
                            source,
                            source.byteSize(),
                            position);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
    }

    private long pwriteBehind(CallState state, MemorySegment source, long position) {
        MemorySegment vector = VECTORS.get();
        vector.setAtIndex(ADDRESS, 0, source);
        vector.setAtIndex(JAVA_LONG, 1, source.byteSize());
        try {
            return (long)
                    PWRITEV2.invokeExact(
                            state.segment(),
                            descriptor.number(),
                            vector,
                            1,
                            position,
                            RWF_DONTCACHE);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
    }

    /** Waits until what was written, and where it is, is on the device. */
    public void syncData() throws SystemCallException {
        CallState state = STATES.get();
        int result;
        try {
            result = (int) FDATASYNC.invokeExact(state.segment(), descriptor.number());
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
        if (result < 0) {
            throw state.failed("sync " + path);
        }
    }

    /** Cuts the file, or lengthens it by a hole. */
    public void setLength(long bytes) throws SystemCallException {
        CallState state = STATES.get();
        int result;
        try {
            result = (int) FTRUNCATE.invokeExact(state.segment(), descriptor.number(), bytes);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
        if (result < 0) {
            throw state.failed("truncate " + path);
        }
    }

    /** Makes a range a hole: it reads as zeros, and its whole blocks are given back. */
    public void punch(long position, long bytes) throws SystemCallException {
        CallState state = STATES.get();
        int result;
        try {
            result =
                    (int)
                            FALLOCATE.invokeExact(
                                    state.segment(),
                                    descriptor.number(),
                                    PUNCH_HOLE_KEEP_SIZE,
                                    position,
                                    bytes);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
        if (result < 0) {
            throw state.failed("punch a hole into " + path);
        }
    }

    /**
     * Whether anybody but this has the file open, the kernel itself included: as the device of a
     * mounted image, even of one that is attached nowhere any more and has but a mapped page.
     *
     * <p>The kernel grants the write lease of a file to nobody else, see {@code F_SETLEASE} in
     * fcntl(2). It is given back at once; who opens the file in between waits for that. One thread
     * asks at a time: the lease is the file's, and who gave back another's would find none.
     *
     * @throws SystemCallException EINVAL if the file system has no leases, EACCES if the file is
     *     another user's: then nobody can tell
     */
    public synchronized boolean isOpenElsewhere() throws SystemCallException {
        try {
            // Else the one who opens the file meanwhile would end this process.
            fcntl(F_SETSIG, SIGURG);
            fcntl(F_SETLEASE, F_WRLCK);
            fcntl(F_SETLEASE, F_UNLCK);
            return false;
        } catch (SystemCallException e) {
            if (e.errno() == ErrorNumber.EAGAIN) {
                return true;
            }
            throw e;
        }
    }

    private void fcntl(int command, int argument) throws SystemCallException {
        CallState state = STATES.get();
        int result;
        try {
            result =
                    (int)
                            FCNTL.invokeExact(
                                    state.segment(), descriptor.number(), command, argument);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
        if (result < 0) {
            throw state.failed("lease " + path);
        }
    }

    @Override
    public void close() {
        descriptor.close();
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
