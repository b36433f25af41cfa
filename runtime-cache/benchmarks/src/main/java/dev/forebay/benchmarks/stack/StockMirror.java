package dev.forebay.benchmarks.stack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import jnr.ffi.Pointer;
import org.jspecify.annotations.Nullable;
import ru.serce.jnrfuse.ErrorCodes;
import ru.serce.jnrfuse.FuseFillDir;
import ru.serce.jnrfuse.FuseStubFS;
import ru.serce.jnrfuse.struct.FileStat;
import ru.serce.jnrfuse.struct.FuseFileInfo;

/**
 * Mirrors a directory by jnr-fuse without changes: with its own loop and options, a callback for
 * each operation, and reads straight into libfuse's buffer. The yardstick of the transport {@code
 * jnr}.
 */
public final class StockMirror extends FuseStubFS {
    private static final int PERMISSIONS = 0555;

    private final Path root;
    private final AtomicLong handles = new AtomicLong();
    private final Map<Long, FileChannel> files = new ConcurrentHashMap<>();

    private StockMirror(Path root) {
        this.root = root;
    }

    /** Takes the directory to mirror and the mountpoint. Returns when it is unmounted. */
    public static void main(String[] arguments) {
        new StockMirror(Path.of(arguments[0]))
                .mount(Path.of(arguments[1]), true, false, new String[] {"-o", "ro"});
    }

    private interface Body {
        int run() throws IOException;
    }

    private static int answer(Body body) {
        try {
            return body.run();
        } catch (NoSuchFileException e) {
            return -ErrorCodes.ENOENT();
        } catch (NotDirectoryException e) {
            return -ErrorCodes.ENOTDIR();
        } catch (IOException | RuntimeException e) {
            return -ErrorCodes.EIO();
        }
    }

    private Path real(String path) {
        return root.resolve(path.substring(1));
    }

    @Override
    public int getattr(String path, FileStat stat) {
        return answer(
                () -> {
                    BasicFileAttributes attributes =
                            Files.readAttributes(real(path), BasicFileAttributes.class);
                    boolean directory = attributes.isDirectory();
                    stat.st_mode.set(
                            PERMISSIONS | (directory ? FileStat.S_IFDIR : FileStat.S_IFREG));
                    stat.st_nlink.set(1);
                    stat.st_size.set(attributes.size());
                    stat.st_mtim.tv_sec.set(attributes.lastModifiedTime().to(TimeUnit.SECONDS));
                    return 0;
                });
    }

    @Override
    public int readdir(
            String path, Pointer buffer, FuseFillDir filler, long offset, FuseFileInfo info) {
        return answer(
                () -> {
                    filler.apply(buffer, ".", null, 0);
                    filler.apply(buffer, "..", null, 0);
                    try (DirectoryStream<Path> entries = Files.newDirectoryStream(real(path))) {
                        for (Path entry : entries) {
                            filler.apply(buffer, String.valueOf(entry.getFileName()), null, 0);
                        }
                    }
                    return 0;
                });
    }

    @Override
    public int open(String path, FuseFileInfo info) {
        return answer(
                () -> {
                    long handle = handles.incrementAndGet();
                    files.put(handle, FileChannel.open(real(path)));
                    info.fh.set(handle);
                    return 0;
                });
    }

    @Override
    public int read(String path, Pointer buffer, long size, long offset, FuseFileInfo info) {
        return answer(
                () -> {
                    @Nullable FileChannel file = files.get(info.fh.get());
                    if (file == null) {
                        return -ErrorCodes.EBADF();
                    }
                    ByteBuffer target =
                            MemorySegment.ofAddress(buffer.address())
                                    .reinterpret(size)
                                    .asByteBuffer();
                    int count = 0;
                    while (target.hasRemaining() && count >= 0) {
                        count = file.read(target, offset + target.position());
                    }
                    return target.position();
                });
    }

    @Override
    public int release(String path, FuseFileInfo info) {
        return answer(
                () -> {
                    @Nullable FileChannel file = files.remove(info.fh.get());
                    if (file != null) {
                        file.close();
                    }
                    return 0;
                });
    }
}
