package dev.forebay.fuse.jnr;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.OpenDirectory;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.fs.Statistics;
import dev.forebay.fuse.fs.UpcallGuard;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import jnr.ffi.Memory;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import jnr.ffi.Struct;
import ru.serce.jnrfuse.FuseFillDir;
import ru.serce.jnrfuse.struct.FileStat;
import ru.serce.jnrfuse.struct.FuseFileInfo;
import ru.serce.jnrfuse.struct.Statvfs;

/**
 * Implements the read operations of libfuse 2, which are by path, with a {@link FileSystemView}.
 */
final class JnrOperations extends ReadOnlyStub {

    private static final int O_ACCMODE = 3;
    private static final int O_TRUNC = 01000;

    /** At least the size of a {@code struct fuse_file_info}. */
    private static final int FILE_INFO_BYTES = 64;

    /** The maximum read size of libfuse 2. */
    static final int MAX_READ_BYTES = 128 << 10;

    /** The timeout of a read whose bytes are not on this node. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final long NANOS = 1_000_000_000L;

    private static final Runtime RUNTIME = Runtime.getSystemRuntime();

    /** The position of the handle in a {@code struct fuse_file_info}. */
    private static final long HANDLE_AT =
            FuseFileInfo.of(Memory.allocateDirect(RUNTIME, FILE_INFO_BYTES)).fh.offset();

    private final FileSystemView view;
    private final UpcallGuard guard;
    private final int user;
    private final int group;
    private final CountDownLatch started = new CountDownLatch(1);
    private final OpenFiles<String> files = new OpenFiles<>();
    private final TimedReads reads = new TimedReads(MAX_READ_BYTES, TIMEOUT);
    private final HandleTable<OpenDirectory> directories = new HandleTable<>();

    /** Owns the callbacks that bypass jnr-ffi. */
    private final Arena upcalls = Arena.ofAuto();

    JnrOperations(FileSystemView view, UpcallGuard guard, LibC libc) {
        this.view = view;
        this.guard = guard;
        this.user = libc.geteuid();
        this.group = libc.getegid();
        Upcall.set(
                fuseOperations,
                fuseOperations.getattr,
                handle("getattr", MemorySegment.class, MemorySegment.class),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS),
                upcalls);
        Upcall.set(
                fuseOperations,
                fuseOperations.read,
                handle(
                        "read",
                        MemorySegment.class,
                        MemorySegment.class,
                        long.class,
                        long.class,
                        MemorySegment.class),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS),
                upcalls);
    }

    private MethodHandle handle(String method, Class<?>... parameters) {
        try {
            return MethodHandles.lookup()
                    .bind(this, method, MethodType.methodType(int.class, parameters));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(method, e);
        }
    }

    /** Runs libfuse's loop until the file system is unmounted, and returns its exit code. */
    int loop(String... arguments) {
        return libFuse.fuse_main_real(
                arguments.length, arguments, fuseOperations, Struct.size(fuseOperations), null);
    }

    /** Returns the latch that opens when the kernel has accepted the mount. */
    CountDownLatch started() {
        return started;
    }

    int openFiles() {
        return files.size();
    }

    @Override
    public Pointer init(Pointer connection) {
        started.countDown();
        return connection;
    }

    /** A path from libfuse: valid until the operation returns, and decoded only when needed. */
    private record NativePath(MemorySegment text) {
        @Override
        public String toString() {
            return text.reinterpret(Long.MAX_VALUE).getString(0);
        }
    }

    int getattr(MemorySegment text, MemorySegment stat) {
        NativePath path = new NativePath(text);
        return guard.run(
                Operation.GETATTR,
                path,
                () -> {
                    fill(
                            FileStat.of(Pointer.wrap(RUNTIME, stat.address())),
                            attributes(path.toString()));
                    return 0;
                });
    }

    /**
     * Returns the attributes of this path in the tree, or of an open file whose version left the
     * tree.
     */
    private Attributes attributes(String path) {
        try {
            return Paths.resolve(view, path);
        } catch (FsException e) {
            return files.attributes(path).orElseThrow(() -> e);
        }
    }

    @Override
    public int fgetattr(String path, FileStat stat, FuseFileInfo info) {
        return guard.run(
                Operation.GETATTR,
                path,
                () -> {
                    fill(stat, files.get(info.fh.get()).attributes());
                    return 0;
                });
    }

    private void fill(FileStat stat, Attributes attributes) {
        stat.st_ino.set(attributes.inode());
        stat.st_mode.set(attributes.mode());
        stat.st_nlink.set(attributes.links());
        stat.st_uid.set(user);
        stat.st_gid.set(group);
        stat.st_size.set(attributes.size());
        stat.st_blocks.set(attributes.blocks());
        stat.st_blksize.set(MAX_READ_BYTES);
        long seconds = Math.floorDiv(attributes.mtimeNanos(), NANOS);
        long nanos = Math.floorMod(attributes.mtimeNanos(), NANOS);
        stat.st_mtim.tv_sec.set(seconds);
        stat.st_mtim.tv_nsec.set(nanos);
        stat.st_ctim.tv_sec.set(seconds);
        stat.st_ctim.tv_nsec.set(nanos);
        stat.st_atim.tv_sec.set(seconds);
        stat.st_atim.tv_nsec.set(nanos);
    }

    @Override
    public int opendir(String path, FuseFileInfo info) {
        return guard.run(
                Operation.OPENDIR,
                path,
                () -> {
                    long inode = Paths.resolve(view, path).inode();
                    info.fh.set(directories.add(view.opendir(inode)));
                    return 0;
                });
    }

    @Override
    public int readdir(
            String path, Pointer buffer, FuseFillDir filler, long offset, FuseFileInfo info) {
        return guard.run(
                Operation.READDIR,
                path,
                () -> {
                    FileStat stat = new FileStat(RUNTIME);
                    Pointer memory = Memory.allocateDirect(RUNTIME, Struct.size(stat), true);
                    stat.useMemory(memory);
                    directories
                            .get(info.fh.get())
                            .list(
                                    offset,
                                    (name, inode, directory, next) -> {
                                        stat.st_ino.set(inode);
                                        stat.st_mode.set(
                                                directory ? FileStat.S_IFDIR : FileStat.S_IFREG);
                                        ByteBuffer text = terminated(name);
                                        return filler.apply(buffer, text, memory, next) == 0;
                                    });
                    return 0;
                });
    }

    private static ByteBuffer terminated(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.wrap(Arrays.copyOf(bytes, bytes.length + 1));
    }

    @Override
    public int releasedir(String path, FuseFileInfo info) {
        return guard.run(
                Operation.RELEASE,
                path,
                () -> {
                    directories.remove(info.fh.get());
                    return 0;
                });
    }

    @Override
    public int open(String path, FuseFileInfo info) {
        return guard.run(
                Operation.OPEN,
                path,
                () -> {
                    if ((info.flags.intValue() & (O_ACCMODE | O_TRUNC)) != 0) {
                        throw new FsException(Errno.EROFS, path);
                    }
                    long inode = Paths.resolve(view, path).inode();
                    info.fh.set(files.add(path, view.open(inode)));
                    return 0;
                });
    }

    int read(MemorySegment text, MemorySegment buffer, long size, long offset, MemorySegment info) {
        return guard.run(
                Operation.READ,
                new NativePath(text),
                () -> {
                    long handle = info.reinterpret(FILE_INFO_BYTES).get(JAVA_LONG, HANDLE_AT);
                    ByteBuffer target = buffer.reinterpret(size).asByteBuffer();
                    return reads.read(files.get(handle), offset, target);
                });
    }

    @Override
    public int release(String path, FuseFileInfo info) {
        return guard.run(
                Operation.RELEASE,
                path,
                () -> {
                    files.remove(info.fh.get());
                    return 0;
                });
    }

    @Override
    public int statfs(String path, Statvfs stat) {
        return guard.run(
                Operation.STATFS,
                path,
                () -> {
                    Statistics statistics = view.statfs();
                    stat.f_bsize.set(Statistics.BLOCK_BYTES);
                    stat.f_frsize.set(Statistics.BLOCK_BYTES);
                    stat.f_blocks.set(statistics.blocks());
                    stat.f_bfree.set(0);
                    stat.f_bavail.set(0);
                    stat.f_files.set(statistics.files());
                    stat.f_ffree.set(0);
                    stat.f_favail.set(0);
                    stat.f_namemax.set(Statistics.NAME_BYTES);
                    return 0;
                });
    }

    @Override
    public int getxattr(String path, String name, Pointer value, long size) {
        return guard.run(
                Operation.XATTR,
                path,
                () -> {
                    long inode = Paths.resolve(view, path).inode();
                    return answer(view.getxattr(inode, name), value, size);
                });
    }

    @Override
    public int listxattr(String path, Pointer list, long size) {
        return guard.run(
                Operation.XATTR,
                path,
                () -> {
                    StringBuilder names = new StringBuilder();
                    for (String name : view.listxattr(Paths.resolve(view, path).inode())) {
                        names.append(name).append('\0');
                    }
                    byte[] bytes = names.toString().getBytes(StandardCharsets.UTF_8);
                    return answer(bytes, list, size);
                });
    }

    /**
     * Copies bytes to the caller and returns their number; a size of 0 asks for the required size.
     */
    private static int answer(byte[] bytes, Pointer target, long size) {
        if (size == 0) {
            return bytes.length;
        }
        if (size < bytes.length) {
            throw new FsException(Errno.ERANGE, bytes.length + " bytes");
        }
        target.put(0, bytes, 0, bytes.length);
        return bytes.length;
    }
}
