package dev.forebay.fuse;

import dev.forebay.fuse.linux.Identity;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.Set;

/** A directory in which only this process's user, or root, can create files. */
final class PrivateDirectory {

    private static final int ROOT = 0;
    private static final Set<PosixFilePermission> OF_OTHERS =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    private PrivateDirectory() {}

    /**
     * Creates the directory if necessary, for this user only. An existing one is not changed,
     * because it may be meant for other users, as {@code /tmp} is.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if it cannot be created, or other users can
     *     write to it
     */
    static void make(String option, Path directory) {
        try {
            Path absolute = directory.toAbsolutePath();
            if (absolute.getParent() != null) {
                Files.createDirectories(absolute.getParent());
            }
            makeLast(absolute);
            requirePrivate(option, directory);
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s: cannot use %s: %s".formatted(option, directory, e),
                    e);
        }
    }

    private static void makeLast(Path directory) throws IOException {
        try {
            Files.createDirectory(
                    directory,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            // It may be a link; the check follows.
        }
    }

    private static void requirePrivate(String option, Path directory) throws IOException {
        int owner = (int) Files.getAttribute(directory, "unix:uid");
        if (owner != ROOT && owner != Identity.ofThisProcess().user()) {
            throw refused(option, directory, "belongs to user %d".formatted(owner));
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
        if (!Collections.disjoint(permissions, OF_OTHERS)) {
            throw refused(option, directory, "has " + PosixFilePermissions.toString(permissions));
        }
    }

    private static ForebayException refused(String option, Path directory, String what) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT,
                "%s: %s %s, but only this process's user or root may have write permission"
                        .formatted(option, directory, what));
    }
}
