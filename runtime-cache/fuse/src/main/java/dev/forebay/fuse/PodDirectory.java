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

/** A directory of this process's own, held so that no second one uses it. */
final class PodDirectory {

    private PodDirectory() {}

    /**
     * Makes the directory if need be, and locks it until what is returned is closed.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if another process has it, or it cannot be
     *     used, {@code UNAVAILABLE} if that is because its disk is broken
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

    /** As {@link #lock}, but empty if another process has it. */
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
                    "%s: %s is another directory of this process already"
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
