package dev.forebay.devstack.mount;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.tool.Machine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The rights of this process's user to mount.
 *
 * @param isRoot whether the user may mount without a helper
 * @param helper the program by which other users mount, if it is on this machine
 * @param device of the kernel, which {@code fusermount} opens as this user
 */
public record MountRights(boolean isRoot, Optional<Path> helper, Path device) {
    private static final int ROOT = 0;
    private static final Path DEVICE = Path.of("/dev/fuse");

    public static MountRights ofThisProcess() {
        return new MountRights(isRootHere(), Machine.current().program("fusermount"), DEVICE);
    }

    /** Returns whether this process runs as root. */
    public static boolean isRootHere() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(ROOT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the features that only root has, if this user is not root.
     *
     * @throws DevstackException if this user cannot mount, with what to install
     */
    public Optional<String> check() {
        if (!Files.exists(device)) {
            throw new DevstackException(
                    "cannot mount: there is no %s. Load the kernel's module as root (modprobe fuse),"
                                    .formatted(device)
                            + " or give this container the device");
        }
        if (isRoot) {
            return Optional.empty();
        }
        if (helper.isEmpty()) {
            throw new DevstackException(
                    "cannot mount: users other than root mount through fusermount3, and there is"
                            + " no fusermount on PATH. Install it as root (Debian: apt-get install"
                            + " fuse3), or run this as root");
        }
        if (!Files.isReadable(device) || !Files.isWritable(device)) {
            throw new DevstackException(
                    "cannot mount: this user may not open %s. Allow it as root (chmod 666 %s), as"
                                    .formatted(device, device)
                            + " most systems do, or run this as root");
        }
        return Optional.of(
                "without root: only this user can read the mounts, and only through FUSE pods. "
                        + "Run as root for native views and for mounts that outlive their pods");
    }
}
