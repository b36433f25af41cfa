package dev.forebay.fuse.nodecache;

import dev.forebay.linux.DiskFile;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Tests whether files of a directory can have holes. The node cache frees space by punching holes.
 * On a file system without them, each eviction would look like a disk failure.
 */
public final class HoleCheck {

    private static final int BYTES = 64 << 10;

    /** The timeout of the test. A disk that hangs is handled when the cache is opened. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private HoleCheck() {}

    /**
     * Creates the directory, and a hole in a file there.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if the file system has no holes; other
     *     failures are ignored
     */
    public static void require(String option, Path directory) {
        FutureTask<Boolean> trial = new FutureTask<>(() -> isRefused(directory));
        Thread.ofPlatform().daemon().name("hole-check").start(trial);
        try {
            if (trial.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new ForebayException(
                        ErrorCode.INVALID_ARGUMENT,
                        "%s is %s, whose file system cannot punch holes into files: use ext4, XFS, btrfs or tmpfs, or disable the node cache (--pack-cache 0)"
                                .formatted(option, directory));
            }
        } catch (TimeoutException _) {
            // The thread ends when the disk answers.
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "the check of the file system has a defect", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isRefused(Path directory) {
        try {
            Files.createDirectories(directory);
            Path path = Files.createTempFile(directory, "holes-", ".tmp");
            try (DiskFile file = DiskFile.open(path)) {
                Files.delete(path);
                file.setLength(BYTES);
                file.punch(0, BYTES);
                return false;
            }
        } catch (IOException e) {
            return ErrorNumber.isOneOf(e, ErrorNumber.EOPNOTSUPP, ErrorNumber.ENOSYS);
        }
    }
}
