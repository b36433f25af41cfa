package dev.forebay.fuse;

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

/** The directory to mount on, made fit for it. */
final class Mountpoint {

    private static final Logger LOG = LoggerFactory.getLogger(Mountpoint.class);
    private static final String OUR_TYPE = "fuse.forebay";

    /** Why a mount is left alone. */
    static final String ALIVE = "is mounted by another forebay-fuse that is alive";

    /** How long a mount that is for others only may take to say that it is served. */
    private static final long PATIENCE_SECONDS = 5;

    /** As the kernel has it. */
    private static final int MAX_LINKS = 40;

    private Mountpoint() {}

    /**
     * The path that the kernel knows a directory by, through any symbolic links. The directory
     * itself is not looked into: a mount that nobody serves would not answer.
     *
     * @return absolute; if it or what it is in does not exist, as it was given
     */
    static Path resolved(Path directory) {
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
     * Makes a directory to mount on, in one that is there. What is there is not looked at: a mount
     * may be dead, or wait for somebody to serve it.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if it cannot be made
     */
    static void make(Path mountpoint) {
        try {
            Files.createDirectory(mountpoint);
        } catch (FileAlreadyExistsException e) {
            // So it is to be.
        } catch (IOException e) {
            throw refused(mountpoint, "cannot be made: " + e);
        }
    }

    /**
     * Checks that a directory can be mounted on, cleaning up after a pod that died.
     *
     * @return its absolute path
     * @throws ForebayException {@code INVALID_ARGUMENT}, saying what to do, if it cannot
     */
    static Path prepare(Path directory) {
        Path mountpoint = resolved(directory);
        if (isOurMount(mountpoint)) {
            if (answers(mountpoint)) {
                throw refused(mountpoint, ALIVE);
            }
            LOG.warn("{} is a mount whose process has died; unmounting it", mountpoint);
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
                throw refused(mountpoint, "is not empty; mount on an empty directory");
            }
        } catch (NoSuchFileException e) {
            throw refused(mountpoint, "does not exist; make the directory first");
        } catch (NotDirectoryException e) {
            throw refused(mountpoint, "is not a directory");
        } catch (IOException e) {
            throw refused(mountpoint, "cannot be read: " + e);
        }
        return mountpoint;
    }

    /** Whether something of this program is mounted there, alive or dead. */
    static boolean isOurMount(Path mountpoint) {
        try {
            return MountTable.read().stream()
                    .filter(mount -> mount.type().equals(OUR_TYPE))
                    .anyMatch(mount -> mount.mountpoint().equals(mountpoint));
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Whether a mount is served, be it for others only; waits for one whose process does not
     * answer, if this user may look into it.
     */
    static boolean answers(Path mountpoint) {
        try (Descriptor _ = Descriptor.open(mountpoint, Descriptor.O_RDONLY)) {
            return true;
        } catch (SystemCallException e) {
            return e.errno() == ErrorNumber.EACCES ? answersOthers(mountpoint) : !isDead(e);
        }
    }

    /**
     * Whether a mount is served that is for others only: who must not look into it is told just
     * that, dead or alive. Attributes of the namespace {@code security} the kernel lets everybody
     * ask the server for. One that does not say anything is not known to be dead.
     */
    private static boolean answersOthers(Path mountpoint) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .name("probe-others")
                .start(() -> answer.complete(answersAttributes(mountpoint)));
        return answer.completeOnTimeout(true, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
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

    static ForebayException refused(Path mountpoint, String why) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT, "--mountpoint: %s %s".formatted(mountpoint, why));
    }
}
