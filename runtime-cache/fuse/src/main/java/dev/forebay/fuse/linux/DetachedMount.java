package dev.forebay.fuse.linux;

import dev.forebay.linux.CLibrary;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/**
 * A mounted file system that is not attached to the tree yet. It is made by the calls of Linux 5.2
 * (fsopen, fsconfig, fsmount, move_mount). The older mount(2) has only 4 KiB of options, and an
 * image may have thousands of devices. It can also be a copy of a mount (open_tree, and
 * mount_setattr of Linux 5.12). If it is closed before it is attached, it disappears.
 *
 * <p>Images, devices and the place where it is attached may be in a mount that this process serves.
 * Not thread-safe.
 */
public final class DetachedMount implements AutoCloseable {

    /** See fsconfig in Linux's fs/fsopen.c: 256 bytes with the terminating NUL. */
    private static final int LONGEST_SOURCE = 255;

    private static final long OPEN_TREE = 428;
    private static final long MOVE_MOUNT = 429;
    private static final long FSOPEN = 430;
    private static final long FSCONFIG = 431;
    private static final long FSMOUNT = 432;
    private static final long MOUNT_SETATTR = 442;

    // include/uapi/linux/mount.h
    private static final long CLOEXEC = 1;
    private static final long FSCONFIG_SET_FLAG = 0;
    private static final long FSCONFIG_SET_STRING = 1;
    private static final long FSCONFIG_CMD_CREATE = 6;
    private static final long MOUNT_ATTR_RDONLY = 1;
    private static final long MOUNT_ATTR_NOSUID = 2;
    private static final long MOUNT_ATTR_NODEV = 4;
    private static final long MOVE_MOUNT_F_EMPTY_PATH = 0x4;
    private static final long OPEN_TREE_CLONE = 1;
    private static final long OPEN_TREE_CLOEXEC = 02000000;
    private static final long AT_RECURSIVE = 0x8000;
    private static final long AT_FDCWD = -100;
    private static final long AT_EMPTY_PATH = 0x1000;

    /** {@code struct mount_attr}: the attributes to set come first; all other fields stay 0. */
    private static final long ATTRIBUTES_BYTES = 32;

    private final Descriptor mount;

    private DetachedMount(Descriptor mount) {
        this.mount = mount;
    }

    /**
     * Mounts an EROFS image. Image and devices are either all plain files (Linux 6.12), or all
     * block devices.
     *
     * @param devices in the order of the image's table; each path has at most 255 bytes
     * @param options flags such as {@code directio}
     * @throws SystemCallException EPERM without CAP_SYS_ADMIN, ENODEV if the kernel has no EROFS,
     *     ENOTBLK if it does not accept plain files, EINVAL if image or devices are invalid.
     *     EUCLEAN or EBADMSG (a checksum) if the image is damaged
     */
    public static DetachedMount erofs(Path image, List<Path> devices, List<String> options)
            throws SystemCallException {
        try (Descriptor context = open("erofs")) {
            set(context, "source", image);
            flag(context, "ro");
            // An image has no ACLs; without this option the kernel looks for them in every inode.
            flag(context, "noacl");
            for (String option : options) {
                flag(context, option);
            }
            for (Path device : devices) {
                set(context, "device", device);
            }
            IsolatedThread.run(
                    () ->
                            SystemCall.make(
                                    "mount " + image,
                                    FSCONFIG,
                                    context.number(),
                                    FSCONFIG_CMD_CREATE));
            return new DetachedMount(
                    descriptor(
                            SystemCall.make(
                                    "fsmount " + image,
                                    FSMOUNT,
                                    context.number(),
                                    CLOEXEC,
                                    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)));
        }
    }

    /**
     * Copies the mount that a directory shows, read-only. Later changes of what is attached to the
     * original do not affect the copy.
     *
     * @param tree the mount point that contains the directory
     * @param directory as the kernel knows it: absolute, without links
     * @param passedOver selects mounts on top of the directory that are skipped; the copy is of the
     *     first mount below them that is not selected
     * @throws IOException EPERM without CAP_SYS_ADMIN, ENOENT if the directory does not exist, or
     *     an error while reading the mount table
     */
    public static DetachedMount copyOf(
            Path tree, Path directory, Predicate<MountTable.Entry> passedOver) throws IOException {
        return new DetachedMount(
                OwnMounts.call(
                        tree,
                        () -> {
                            // Only this thread sees what it detaches here.
                            List<MountTable.Entry> stack =
                                    new MountStacks(MountTable.ofThisThread()).at(directory);
                            for (MountTable.Entry mount : stack.reversed()) {
                                if (!passedOver.test(mount)) {
                                    break;
                                }
                                MountCalls.detach(directory);
                            }
                            return readOnlyCopy(directory);
                        }));
    }

    /**
     * Copies what a directory shows, with all mounts below it that can be copied. The copy of a
     * mount in a peer group (shared propagation) joins the same group.
     */
    static DetachedMount copyOfAll(Path directory) throws SystemCallException {
        return new DetachedMount(copy(directory, AT_RECURSIVE));
    }

    private static Descriptor copy(Path directory, long flags) throws SystemCallException {
        try (Arena arena = Arena.ofConfined()) {
            return descriptor(
                    SystemCall.make(
                            "open_tree " + directory,
                            OPEN_TREE,
                            AT_FDCWD,
                            CLibrary.text(arena, directory).address(),
                            OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | flags));
        }
    }

    private static Descriptor readOnlyCopy(Path directory) throws SystemCallException {
        try (Arena arena = Arena.ofConfined()) {
            Descriptor copy = copy(directory, 0);
            MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, Long.BYTES);
            attributes.set(
                    ValueLayout.JAVA_LONG,
                    0,
                    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
            try {
                SystemCall.make(
                        "mount_setattr " + directory,
                        MOUNT_SETATTR,
                        copy.number(),
                        CLibrary.text(arena, "").address(),
                        AT_EMPTY_PATH,
                        attributes.address(),
                        ATTRIBUTES_BYTES);
                return copy;
            } catch (SystemCallException e) {
                copy.close();
                throw e;
            }
        }
    }

    /** Returns whether {@link #erofs} has failed because the image is damaged. */
    public static boolean isDamage(SystemCallException e) {
        return e.errno() == ErrorNumber.EUCLEAN || e.errno() == ErrorNumber.EBADMSG;
    }

    /** Returns why {@link #erofs} has failed, for messages. */
    public static String explain(SystemCallException e) {
        return switch (e.errno()) {
            case ErrorNumber.EPERM -> "this process may not mount (CAP_SYS_ADMIN)";
            case ErrorNumber.ENODEV -> "the kernel has no EROFS; try modprobe erofs";
            case ErrorNumber.ENOTBLK ->
                    "the kernel's EROFS cannot be mounted from files (Linux 6.12)";
            default -> String.valueOf(e.getMessage());
        };
    }

    /**
     * Attaches the mount on top of a path, which may already be a mount point. From then on every
     * process that opens the path gets the new mount. The switch is atomic.
     *
     * @param directory of any file system
     */
    public void attach(Path directory) throws SystemCallException {
        IsolatedThread.run(() -> attachHere(directory));
    }

    /** Attaches the mount from this thread, in the thread's mount namespace. */
    public void attachHere(Path directory) throws SystemCallException {
        try (Arena arena = Arena.ofConfined()) {
            SystemCall.make(
                    "move_mount " + directory,
                    MOVE_MOUNT,
                    mount.number(),
                    CLibrary.text(arena, "").address(),
                    AT_FDCWD,
                    CLibrary.text(arena, directory).address(),
                    MOVE_MOUNT_F_EMPTY_PATH);
        }
    }

    /** Returns the root of the mount, for calls that start there. */
    Descriptor root() {
        return mount;
    }

    @Override
    public void close() {
        mount.close();
    }

    private static Descriptor open(String type) throws SystemCallException {
        try (Arena arena = Arena.ofConfined()) {
            return descriptor(
                    SystemCall.make(
                            "fsopen " + type,
                            FSOPEN,
                            CLibrary.text(arena, type).address(),
                            CLOEXEC));
        }
    }

    private static void set(Descriptor context, String key, Path value) throws SystemCallException {
        int bytes = value.toString().getBytes(StandardCharsets.UTF_8).length;
        String limit =
                bytes > LONGEST_SOURCE
                        ? " (%d bytes; Linux takes %d: use a shorter --cache-directory)"
                                .formatted(bytes, LONGEST_SOURCE)
                        : "";
        try (Arena arena = Arena.ofConfined()) {
            SystemCall.make(
                    "fsconfig %s %s%s".formatted(key, value, limit),
                    FSCONFIG,
                    context.number(),
                    FSCONFIG_SET_STRING,
                    CLibrary.text(arena, key).address(),
                    CLibrary.text(arena, value).address());
        }
    }

    private static void flag(Descriptor context, String key) throws SystemCallException {
        try (Arena arena = Arena.ofConfined()) {
            SystemCall.make(
                    "fsconfig " + key,
                    FSCONFIG,
                    context.number(),
                    FSCONFIG_SET_FLAG,
                    CLibrary.text(arena, key).address());
        }
    }

    private static Descriptor descriptor(long number) {
        return Descriptor.of(Math.toIntExact(number));
    }
}
