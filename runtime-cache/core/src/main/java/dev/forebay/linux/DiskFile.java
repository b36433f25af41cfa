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
 * A regular file with holes, read and written at explicit positions.
 *
 * <p>Unlike a {@link java.nio.channels.FileChannel}, it takes no lock for a read and it can punch
 * holes. An interrupt of one thread does not close it for the others. Calls block their thread, and
 * the carrier of a virtual thread, too. Thread-safe, but no thread may use it once it is closed.
 *
 * <p>Buffers to read into must be outside the heap. Data to write may be on the heap and is then
 * copied first.
 */
public final class DiskFile implements AutoCloseable {

    /** A number of bytes that stands for everything from the position to the end of the file. */
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

    /** Since Linux 6.14, include/uapi/linux/fs.h. */
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

    // From include/uapi/asm-generic/fcntl.h and include/uapi/linux/fcntl.h.
    private static final int F_SETSIG = 10;
    private static final int F_SETLEASE = 1024;
    private static final int F_WRLCK = 1;
    private static final int F_UNLCK = 2;

    /** Ignored by default, unlike SIGIO, which ends the process. */
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

    /** Opens an existing file for reading and writing. */
    public static DiskFile open(Path path) throws SystemCallException {
        return new DiskFile(path, Descriptor.open(path, Descriptor.O_RDWR));
    }

    /** Opens an existing file for reading only. */
    public static DiskFile openToRead(Path path) throws SystemCallException {
        return new DiskFile(path, Descriptor.open(path, Descriptor.O_RDONLY));
    }

    /** Creates a file that must not exist yet, for reading and writing. */
    public static DiskFile create(Path path) throws SystemCallException {
        return new DiskFile(
                path,
                Descriptor.open(path, Descriptor.O_RDWR | Descriptor.O_CREAT | Descriptor.O_EXCL));
    }

    /**
     * Reads until the target is full or the file ends.
     *
     * @return the number of bytes read
     */
    public long read(MemorySegment target, long position) throws SystemCallException {
        long done = 0;
        while (done < target.byteSize()) {
            CallState state = STATES.get();
            MemorySegment rest = target.asSlice(done);
            long from = position + done;
            long bytes =
                    CLibrary.makeLong(
                            () ->
                                    (long)
                                            PREAD.invokeExact(
                                                    state.segment(),
                                                    descriptor.number(),
                                                    rest,
                                                    rest.byteSize(),
                                                    from));
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

    /**
     * Asks the kernel to start reading a range into the page cache. The kernel may ignore this
     * hint.
     */
    public void willRead(long position, long bytes) {
        advise(position, bytes, POSIX_FADV_WILLNEED);
    }

    /**
     * Asks the kernel to drop a range from the page cache. Pages that are dirty or mapped stay.
     *
     * @param bytes may be {@link #TO_THE_END}
     */
    public void forget(long position, long bytes) {
        advise(position, bytes, POSIX_FADV_DONTNEED);
    }

    private void advise(long position, long bytes, int advice) {
        CallState state = STATES.get();
        int _ =
                CLibrary.makeInt(
                        () ->
                                (int)
                                        POSIX_FADVISE.invokeExact(
                                                state.segment(),
                                                descriptor.number(),
                                                position,
                                                bytes,
                                                advice));
    }

    /** Writes all of the source. */
    public void write(MemorySegment source, long position) throws SystemCallException {
        write(source, position, false);
    }

    /**
     * Writes all of the source. If kernel and file system support it, the pages leave the page
     * cache as soon as they are on the device. Use it for data that is not read again soon: the
     * writes then reuse a few pages instead of filling memory.
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
        return CLibrary.makeLong(
                () ->
                        (long)
                                PWRITE.invokeExact(
                                        state.segment(),
                                        descriptor.number(),
                                        source,
                                        source.byteSize(),
                                        position));
    }

    private long pwriteBehind(CallState state, MemorySegment source, long position) {
        MemorySegment vector = VECTORS.get();
        vector.setAtIndex(ADDRESS, 0, source);
        vector.setAtIndex(JAVA_LONG, 1, source.byteSize());
        return CLibrary.makeLong(
                () ->
                        (long)
                                PWRITEV2.invokeExact(
                                        state.segment(),
                                        descriptor.number(),
                                        vector,
                                        1,
                                        position,
                                        RWF_DONTCACHE));
    }

    /** Waits until written data, and the metadata to find it, is on the device. */
    public void syncData() throws SystemCallException {
        CallState state = STATES.get();
        state.check(CLibrary.call(FDATASYNC, state, descriptor.number()), "sync", path);
    }

    /** Truncates the file, or extends it with a hole. */
    public void setLength(long bytes) throws SystemCallException {
        CallState state = STATES.get();
        int result =
                CLibrary.makeInt(
                        () ->
                                (int)
                                        FTRUNCATE.invokeExact(
                                                state.segment(), descriptor.number(), bytes));
        state.check(result, "truncate", path);
    }

    /** Makes a range a hole. It then reads as zeros, and its whole blocks are freed. */
    public void punch(long position, long bytes) throws SystemCallException {
        CallState state = STATES.get();
        int result =
                CLibrary.makeInt(
                        () ->
                                (int)
                                        FALLOCATE.invokeExact(
                                                state.segment(),
                                                descriptor.number(),
                                                PUNCH_HOLE_KEEP_SIZE,
                                                position,
                                                bytes));
        state.check(result, "punch a hole into", path);
    }

    /**
     * Returns whether the file is open elsewhere. Users inside the kernel count, too: a mounted
     * image whose device the file is, even if that image is detached and only has a mapped page
     * left.
     *
     * <p>The kernel grants the write lease of a file only if it has no other open descriptor, see
     * {@code F_SETLEASE} in fcntl(2). This method releases the lease at once, and processes that
     * open the file meanwhile wait for that. It is synchronized because the lease belongs to the
     * open file: two threads would release each other's lease.
     *
     * @throws SystemCallException EINVAL if the file system has no leases, or EACCES if the file
     *     belongs to another user; then the answer is unknown
     */
    public synchronized boolean isOpenElsewhere() throws SystemCallException {
        try {
            // When another process opens the file, the kernel signals the lease holder. The default
            // signal, SIGIO, would end this process.
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
        int result =
                CLibrary.makeInt(
                        () ->
                                (int)
                                        FCNTL.invokeExact(
                                                state.segment(),
                                                descriptor.number(),
                                                command,
                                                argument));
        state.check(result, "lease", path);
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
