package dev.forebay.fuse.jnr;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.linux.Readahead;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import jnr.ffi.LibraryLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a {@link FileSystemView} through libfuse 2, which answers requests concurrently on its own
 * threads.
 */
public final class JnrTransport implements Transport {

    private static final Logger LOG = LoggerFactory.getLogger(JnrTransport.class);
    private static final Duration MOUNT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration UNMOUNT_TIMEOUT = Duration.ofSeconds(3);

    /**
     * The maximum number of the kernel's read-ahead requests at once. The library keeps ten idle
     * threads and ends the rest. The JVM must attach each new thread. With the kernel's default of
     * 12, some two hundred threads per second start and end.
     */
    private static final int MAX_BACKGROUND = 8;

    private final Path mountpoint;
    private final JnrOperations operations;
    private final Thread loop;
    private volatile @Nullable Integer exitCode;

    private JnrTransport(Path mountpoint, JnrOperations operations, List<String> arguments) {
        this.mountpoint = mountpoint;
        this.operations = operations;
        this.loop =
                Thread.ofPlatform()
                        .name("fuse")
                        .daemon()
                        .unstarted(
                                () -> exitCode = operations.loop(arguments.toArray(String[]::new)));
    }

    /**
     * Mounts a view and returns when the kernel has accepted it.
     *
     * @param mountpoint an empty directory
     * @param allowOther whether users other than this process's user may read; needs root, or
     *     {@code user_allow_other} in {@code /etc/fuse.conf}
     * @throws ForebayException {@code INVALID_ARGUMENT} if libfuse 2 is not installed, {@code
     *     UNAVAILABLE} if it cannot mount
     */
    public static JnrTransport mount(
            FileSystemView view, UpcallGuard guard, Path mountpoint, boolean allowOther) {
        JnrOperations operations;
        try {
            operations = new JnrOperations(view, guard, LibraryLoader.create(LibC.class).load("c"));
        } catch (UnsatisfiedLinkError e) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "cannot load libfuse.so.2: install it (Debian, Ubuntu: apt-get install "
                            + "libfuse2, or libfuse2t64), or set its directory with "
                            + "-Djnr.ffi.library.path=DIR",
                    e);
        }
        JnrTransport transport =
                new JnrTransport(mountpoint, operations, arguments(mountpoint, allowOther));
        transport.start();
        Readahead.raise(mountpoint.toAbsolutePath().normalize());
        return transport;
    }

    private static List<String> arguments(Path mountpoint, boolean allowOther) {
        List<String> options =
                new ArrayList<>(
                        List.of(
                                "ro",
                                "nosuid",
                                "nodev",
                                "fsname=forebay",
                                "subtype=forebay",
                                "default_permissions",
                                // The view's inode numbers instead of libfuse's own.
                                "use_ino",
                                // Files never change, so their pages may stay cached after the last
                                // close.
                                "kernel_cache",
                                "max_read=" + JnrOperations.MAX_READ_BYTES,
                                "max_background=" + MAX_BACKGROUND,
                                "attr_timeout=10",
                                "entry_timeout=10",
                                // New versions must be visible at once.
                                "negative_timeout=0"));
        if (allowOther) {
            options.add("allow_other");
        }
        return List.of(
                "forebay-fuse", mountpoint.toString(), "-f", "-o", String.join(",", options));
    }

    private void start() {
        loop.start();
        long deadline = System.nanoTime() + MOUNT_TIMEOUT.toNanos();
        try {
            while (!operations.started().await(20, TimeUnit.MILLISECONDS)) {
                if (!loop.isAlive() || System.nanoTime() > deadline) {
                    throw new ForebayException(
                            ErrorCode.UNAVAILABLE,
                            "cannot mount %s: %s"
                                    .formatted(
                                            mountpoint,
                                            exitCode == null
                                                    ? "the kernel does not answer"
                                                    : "libfuse ended with "
                                                            + exitCode
                                                            + ". Check that /dev/fuse is there"
                                                            + " and, unless this is root, that"
                                                            + " fusermount is on PATH (Debian:"
                                                            + " apt-get install fuse3)"));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
    }

    @Override
    public boolean serving() {
        return true;
    }

    @Override
    public int openFiles() {
        return operations.openFiles();
    }

    /** Returns the exit code of libfuse. */
    @Override
    public int awaitEnd() throws InterruptedException {
        loop.join();
        Integer code = exitCode;
        return code == null ? -1 : code;
    }

    @Override
    public void close() {
        if (!loop.isAlive()) {
            return;
        }
        OptionalInt refused = Unmount.detach(mountpoint);
        if (refused.isPresent()) {
            LOG.error("Cannot unmount {}: errno {}", mountpoint, refused.getAsInt());
            return;
        }
        try {
            if (!loop.join(UNMOUNT_TIMEOUT)) {
                LOG.info("Files below {} are still open; aborting the connection", mountpoint);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
