package dev.forebay.fuse.jnr;

import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.Guard;
import dev.forebay.fuse.fs.HandleTable;
import dev.forebay.fuse.fs.OpenDirectory;
import dev.forebay.fuse.fs.OpenFiles;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.fs.Paths;
import dev.forebay.fuse.fs.Statistics;
import java.lang.foreign.MemorySegment;
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

/** The reading operations of libfuse 2, by path, over a {@link FileSystemView} by inode. */
final class JnrOperations extends ReadOnlyStub {

    private static final int O_ACCMODE = 3;
    private static final int O_TRUNC = 01000;

    /** What libfuse 2 asks for at most. */
    static final int MAX_READ_BYTES = 128 << 10;

    /** How long who reads what is not on this node waits at most. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final long NANOS = 1_000_000_000L;

    private final FileSystemView view;
    private final Guard guard;
    private final int user;
    private final int group;
    private final CountDownLatch started = new CountDownLatch(1);
    private final OpenFiles<String> files = new OpenFiles<>();
    private final TimedReads reads = new TimedReads(MAX_READ_BYTES, PATIENCE);
    private final HandleTable<OpenDirectory> directories = new HandleTable<>();

    JnrOperations(FileSystemView view, Guard guard, LibC libc) {
        this.view = view;
        this.guard = guard;
        this.user = libc.geteuid();
        this.group = libc.getegid();
    }

    /** Runs libfuse's loop until the file system is unmounted; its exit code. */
    int loop(String... arguments) {
        return libFuse.fuse_main_real(
                arguments.length, arguments, fuseOperations, Struct.size(fuseOperations), null);
    }

    /** Opens when the kernel has accepted the mount. */
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

    @Override
    public int getattr(String path, FileStat stat) {
        return guard.run(
                Operation.GETATTR,
                path,
                () -> {
                    fill(stat, attributes(path));
                    return 0;
                });
    }

    /** Of what the tree has at this path, or of a file that is open since it had it. */
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
                    Runtime runtime = Runtime.getSystemRuntime();
                    FileStat stat = new FileStat(runtime);
                    Pointer memory = Memory.allocateDirect(runtime, Struct.size(stat), true);
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

    @Override
    public int read(String path, Pointer buffer, long size, long offset, FuseFileInfo info) {
        return guard.run(
                Operation.READ,
                path,
                () -> {
                    ByteBuffer target =
                            MemorySegment.ofAddress(buffer.address())
                                    .reinterpret(size)
                                    .asByteBuffer();
                    return reads.read(files.get(info.fh.get()), offset, target);
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

    /** A size of 0 asks how much room is needed. */
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
