package dev.forebay.chunkstore;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Locks a directory against a second store, of this process or another. The lock ends with the
 * process.
 */
final class DirectoryLock implements AutoCloseable {

    private final FileChannel file;

    private DirectoryLock(FileChannel file) {
        this.file = file;
    }

    static DirectoryLock take(Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (tryLock(channel) == null) {
            channel.close();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "another worker has locked %s: give each worker its own forebay.worker.directory"
                            .formatted(file));
        }
        return new DirectoryLock(channel);
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException ours) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
