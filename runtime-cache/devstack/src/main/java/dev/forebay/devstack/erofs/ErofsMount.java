package dev.forebay.devstack.erofs;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.mount.Mounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * An EROFS image in a plain file, mounted with plain files as its devices (Linux 6.12), until it is
 * closed.
 *
 * <p>It uses system calls directly. The {@code mount} command of today's distributions puts a loop
 * device under the image, and then the devices would have to be block devices, too. mount(2) takes
 * only 4 KiB of options, which is some hundred devices.
 */
public final class ErofsMount implements AutoCloseable {

    private static final Path FILE_SYSTEMS = Path.of("/proc/filesystems");

    // From include/uapi/linux/mount.h.
    private static final int FSCONFIG_SET_FLAG = 0;
    private static final int FSCONFIG_SET_STRING = 1;
    private static final int FSCONFIG_CMD_CREATE = 6;
    private static final int MOVE_MOUNT_F_EMPTY_PATH = 4;

    private static final int AT_FDCWD = -100;

    private final Path mountpoint;

    private ErofsMount(Path mountpoint) {
        this.mountpoint = mountpoint;
    }

    /** Returns why this machine cannot mount an image, or empty if it can. */
    public static Optional<String> impossible() {
        try {
            if (Files.readAllLines(FILE_SYSTEMS).stream()
                    .noneMatch(line -> line.strip().equals("erofs"))) {
                return Optional.of("this kernel has no EROFS, or its module is not loaded");
            }
            Path nothing = Files.createTempFile("nothing", ".erofs");
            try {
                mount(nothing, List.of(), nothing);
                throw new DevstackException("an empty file was mounted as EROFS");
            } catch (SyscallException e) {
                return switch (e.errno()) {
                    case SyscallException.EPERM -> Optional.of("only root can mount");
                    case SyscallException.ENOTBLK, SyscallException.ENOSYS ->
                            Optional.of(
                                    "this kernel cannot mount EROFS from files, which needs "
                                            + "Linux 6.12");
                    default -> Optional.empty();
                };
            } finally {
                Files.delete(nothing);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Mounts an image.
     *
     * @param devices in the order of the image's table; the kernel takes paths of up to 255 bytes
     * @param mountpoint a directory
     * @throws DevstackException if the kernel refuses; its log says why
     */
    public static ErofsMount of(Path image, List<Path> devices, Path mountpoint) {
        try {
            mount(image, devices, mountpoint);
            return new ErofsMount(mountpoint);
        } catch (SyscallException e) {
            throw new DevstackException("cannot mount " + image + ": " + e.getMessage(), e);
        }
    }

    private static void mount(Path image, List<Path> devices, Path mountpoint)
            throws SyscallException {
        try (Arena arena = Arena.ofConfined();
                Descriptor context =
                        new Descriptor(
                                SystemCalls.call(
                                        SystemCalls.FSOPEN,
                                        arena.allocateFrom("erofs").address(),
                                        0))) {
            set(context, "source", image);
            flag(context, "ro");
            // An image has no ACLs. Without this option the kernel looks for them in every inode.
            flag(context, "noacl");
            for (Path device : devices) {
                set(context, "device", device);
            }
            SystemCalls.call(SystemCalls.FSCONFIG, context.number(), FSCONFIG_CMD_CREATE);
            try (Descriptor mount =
                    new Descriptor(SystemCalls.call(SystemCalls.FSMOUNT, context.number()))) {
                SystemCalls.call(
                        SystemCalls.MOVE_MOUNT,
                        mount.number(),
                        arena.allocateFrom("").address(),
                        AT_FDCWD,
                        arena.allocateFrom(mountpoint.toString()).address(),
                        MOVE_MOUNT_F_EMPTY_PATH);
            }
        }
    }

    private static void set(Descriptor context, String key, Path value) throws SyscallException {
        try (Arena arena = Arena.ofConfined()) {
            SystemCalls.call(
                    SystemCalls.FSCONFIG,
                    context.number(),
                    FSCONFIG_SET_STRING,
                    arena.allocateFrom(key).address(),
                    arena.allocateFrom(value.toString()).address());
        }
    }

    private static void flag(Descriptor context, String key) throws SyscallException {
        try (Arena arena = Arena.ofConfined()) {
            SystemCalls.call(
                    SystemCalls.FSCONFIG,
                    context.number(),
                    FSCONFIG_SET_FLAG,
                    arena.allocateFrom(key).address());
        }
    }

    public Path mountpoint() {
        return mountpoint;
    }

    /** Unmounts; fails if a file is still open. */
    @Override
    public void close() {
        Mounts.unmount(mountpoint);
    }
}
