package dev.forebay.fuse.options;

import dev.forebay.fuse.jnr.Unmount;
import dev.forebay.fuse.linux.ExtendedAttribute;
import dev.forebay.fuse.linux.MountTable;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks and prepares the directory to mount on. */
public final class Mountpoint {

    private static final Logger LOG = LoggerFactory.getLogger(Mountpoint.class);
    private static final String OUR_TYPE = "fuse.forebay";

    /** The reason to leave a mount alone. */
    public static final String ALIVE = "is mounted by another running forebay-fuse";

    /** The timeout of the check of a mount that only other users may access. */
    private static final long TIMEOUT_SECONDS = 5;

    /** The kernel's limit. */
    private static final int MAX_LINKS = 40;

    private Mountpoint() {}

    /**
     * Returns the path by which the kernel knows a directory, through symbolic links. Does not
     * access the directory itself, because a mount without a server would not answer.
     *
     * @return absolute; the given path if it or its parent does not exist
     */
    public static Path resolved(Path directory) {
        Path path = directory.toAbsolutePath().normalize();
        try {
            for (int links = 0; path.getParent() != null && links < MAX_LINKS; links++) {
                Path parent = path.getParent().toRealPath();
                path = parent.resolve(path.getFileName());
                path = parent.resolve(Files.readSymbolicLink(path)).normalize();
            }
        } catch (IOException notALink) {
            return path;
        }
        return path;
    }

    /**
     * Creates a directory to mount on. Its parent must exist. An existing directory is not
     * accessed, because a mount there may be dead, or wait for a server.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if it cannot be created
     */
    public static void make(Path mountpoint) {
        try {
            Files.createDirectory(mountpoint);
        } catch (FileAlreadyExistsException e) {
            // The usual case: it exists already.
        } catch (IOException e) {
            throw refused(mountpoint, "cannot be created: " + e);
        }
    }

    /**
     * Checks that a directory can be mounted on, and unmounts what a dead pod left there.
     *
     * @return its absolute path
     * @throws ForebayException {@code INVALID_ARGUMENT}, with a remedy, if it cannot be used
     */
    public static Path prepare(Path directory) {
        Path mountpoint = resolved(directory);
        if (isOurMount(mountpoint)) {
            if (answers(mountpoint)) {
                throw refused(mountpoint, ALIVE);
            }
            LOG.warn("The process of mount {} has ended; unmounting it", mountpoint);
            OptionalInt errno = Unmount.detach(mountpoint);
            if (errno.isPresent()) {
                throw refused(
                        mountpoint,
                        "is a dead mount and cannot be unmounted, errno "
                                + errno.getAsInt()
                                + "; try umount -l");
            }
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(mountpoint)) {
            if (entries.iterator().hasNext()) {
                throw refused(mountpoint, "is not empty: use an empty directory");
            }
        } catch (NoSuchFileException e) {
            throw refused(mountpoint, "does not exist: create the directory first");
        } catch (NotDirectoryException e) {
            throw refused(mountpoint, "is not a directory");
        } catch (IOException e) {
            throw refused(mountpoint, "cannot be read: " + e);
        }
        return mountpoint;
    }

    /** Returns whether this program has mounted something there, alive or dead. */
    public static boolean isOurMount(Path mountpoint) {
        try {
            return MountTable.read().stream()
                    .filter(mount -> mount.type().equals(OUR_TYPE))
                    .anyMatch(mount -> mount.mountpoint().equals(mountpoint));
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Returns whether a mount is served, also if only other users may access it. If this user may
     * access it, waits for a server that does not answer.
     */
    public static boolean answers(Path mountpoint) {
        try (Descriptor _ = Descriptor.open(mountpoint, Descriptor.O_RDONLY)) {
            return true;
        } catch (SystemCallException e) {
            return e.errno() == ErrorNumber.EACCES ? answersOthers(mountpoint) : !isDead(e);
        }
    }

    /**
     * Returns whether a mount is served that only other users may access. Opening it fails in the
     * same way whether it is dead or alive. The kernel lets every user read attributes of the
     * namespace {@code security}, which the server answers. A mount that does not answer counts as
     * alive.
     */
    private static boolean answersOthers(Path mountpoint) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .name("probe-others")
                .start(() -> answer.complete(answersAttributes(mountpoint)));
        return answer.completeOnTimeout(true, TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
    }

    private static boolean answersAttributes(Path mountpoint) {
        try {
            long _ = ExtendedAttribute.length(mountpoint, "security.forebay");
            return true;
        } catch (SystemCallException e) {
            return !isDead(e);
        }
    }

    private static boolean isDead(SystemCallException e) {
        return ErrorNumber.isOneOf(e, ErrorNumber.ENOTCONN, ErrorNumber.ECONNABORTED);
    }

    public static ForebayException refused(Path mountpoint, String why) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT, "--mountpoint: %s %s".formatted(mountpoint, why));
    }
}
