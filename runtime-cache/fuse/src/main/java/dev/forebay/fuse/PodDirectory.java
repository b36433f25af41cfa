package dev.forebay.fuse;

import dev.forebay.linux.ErrorNumber;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** Locks a directory, so that only one process uses it. */
final class PodDirectory {

    private PodDirectory() {}

    /**
     * Creates the directory if necessary, and locks it until the result is closed.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if another process has locked it, or it is
     *     unusable; {@code UNAVAILABLE} if its disk is broken
     */
    static Closeable lock(String option, Path directory) {
        return tryLock(option, directory)
                .orElseThrow(
                        () ->
                                new ForebayException(
                                        ErrorCode.INVALID_ARGUMENT,
                                        "%s: %s is in use by another process"
                                                .formatted(option, directory)));
    }

    /** Same as {@link #lock}, but returns empty if another process has locked it. */
    static Optional<Closeable> tryLock(String option, Path directory) {
        try {
            Files.createDirectories(directory);
            FileChannel channel =
                    FileChannel.open(
                            directory.resolve("lock"),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            if (channel.tryLock() == null) {
                channel.close();
                return Optional.empty();
            }
            return Optional.of(channel);
        } catch (OverlappingFileLockException e) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s: this process uses %s already for another option"
                            .formatted(option, directory),
                    e);
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorNumber.isBrokenDisk(e)
                            ? ErrorCode.UNAVAILABLE
                            : ErrorCode.INVALID_ARGUMENT,
                    "%s: cannot use %s: %s".formatted(option, directory, e),
                    e);
        }
    }
}
