package dev.forebay.service;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * A locked folder for files that need not outlive this process. Folders of processes that no longer
 * run are removed. Locks show that, and not process ids, because containers that share a directory
 * may each have a process 1. Safe for use by many threads.
 */
@Singleton
public class Workspace {

    private static final Logger LOG = Logger.getLogger(Workspace.class);

    /** Longer than any activity runs. */
    private static final Duration KEPT = Duration.ofDays(4);

    private static final String OWN = "own-";

    /** Locked while this process lives. */
    private final Kept own;

    private final Path kept;

    @Inject
    Workspace(ServiceConfig config) {
        this(config.workDirectory().orElseGet(Workspace::temporaryRoot));
    }

    Workspace(Path root) {
        kept = root.resolve("kept");
        try {
            Files.createDirectories(kept);
            removeAbandoned(root);
            forgetOld();
            Path folder = root.resolve(OWN + UUID.randomUUID());
            // Locked before it exists, so that no other process finds it unlocked.
            own = new Kept(folder, lock(folder).orElseThrow());
            Files.createDirectory(folder);
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.work-directory: cannot use %s: %s".formatted(root, e),
                    e);
        }
    }

    private static void removeAbandoned(Path root) throws IOException {
        try (DirectoryStream<Path> folders =
                Files.newDirectoryStream(
                        root,
                        entry ->
                                entry.getFileName().toString().startsWith(OWN)
                                        && Files.isDirectory(entry))) {
            for (Path folder : folders) {
                lock(folder).map(lock -> new Kept(folder, lock)).ifPresent(Workspace::remove);
            }
        }
    }

    private static void remove(Kept folder) {
        try (folder) {
            folder.forget();
        }
    }

    private static Path temporaryRoot() {
        Path shared = Path.of(System.getProperty("java.io.tmpdir"));
        try {
            return PrivateFolder.in(shared);
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.work-directory is not set, and no folder can be made in %s: %s"
                            .formatted(shared, e),
                    e);
        }
    }

    /** Returns a folder of this process. The caller creates it. */
    public Path folder(String name) {
        return own.path().resolve(name);
    }

    /** Creates an empty folder. Closing it removes it. */
    public Temporary temporary(String prefix) {
        try {
            return new Temporary(Files.createTempDirectory(own.path(), prefix));
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.CAPACITY_EXCEEDED,
                    "forebay.work-directory: cannot write to %s: %s".formatted(own.path(), e),
                    e);
        }
    }

    /**
     * Returns a folder that outlives this process. The next process that uses the same name
     * continues with its content. It is removed when unused for days.
     *
     * @param name of letters, digits and {@code -}
     * @return empty if a user in this process or another has it at this moment
     */
    public Optional<Kept> kept(String name) {
        try {
            forgetOld();
            Path folder = Files.createDirectories(kept.resolve(name));
            Optional<FileChannel> lock = lock(folder);
            // Sets the modification time, so that the folder does not count as old.
            lock.ifPresent(_ -> touch(folder));
            return lock.map(channel -> new Kept(folder, channel));
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.CAPACITY_EXCEEDED,
                    "forebay.work-directory: cannot write to %s: %s".formatted(kept, e),
                    e);
        }
    }

    /**
     * Removes the folder kept under a name, unless it is in use. The caller has failed already,
     * perhaps because the disk is full, and must report that failure. A folder that cannot be
     * removed now therefore stays until it is old.
     */
    public void forget(String name) {
        try {
            kept(name).ifPresent(Workspace::remove);
        } catch (ForebayException stays) {
            LOG.warnf("Cannot remove the files of %s: %s", name, stays.getMessage());
        }
    }

    private static Optional<FileChannel> lock(Path folder) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        lockOf(folder), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            locked = channel.tryLock() != null;
        } catch (OverlappingFileLockException ours) {
            LOG.debugf("This process uses %s already", folder);
        } finally {
            if (!locked) {
                channel.close();
            }
        }
        return locked ? Optional.of(channel) : Optional.empty();
    }

    private static Path lockOf(Path folder) {
        return folder.resolveSibling(folder.getFileName() + ".lock");
    }

    private static void touch(Path folder) {
        try {
            Files.setLastModifiedTime(folder, FileTime.from(Instant.now()));
        } catch (IOException e) {
            LOG.warnf("Cannot touch %s: %s", folder, e);
        }
    }

    private void forgetOld() throws IOException {
        Instant old = Instant.now().minus(KEPT);
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(kept)) {
            for (Path entry : entries) {
                if (isOlder(entry, old)) {
                    remove(entry);
                }
            }
        }
    }

    private static boolean isOlder(Path entry, Instant than) throws IOException {
        try {
            return Files.getLastModifiedTime(entry).toInstant().isBefore(than);
        } catch (NoSuchFileException gone) {
            return false; // another process on this disk has just removed it
        }
    }

    /** A folder that stays after its close. */
    public record Kept(Path path, FileChannel lock) implements AutoCloseable {

        /** Removes the content, because no process will continue with it. */
        public void forget() {
            remove(path);
            remove(lockOf(path));
        }

        @Override
        public void close() {
            try {
                lock.close();
            } catch (IOException e) {
                LOG.warnf("Cannot release %s: %s", path, e);
            }
        }
    }

    /** A folder that is removed with its content when closed. */
    public record Temporary(Path path) implements AutoCloseable {

        @Override
        public void close() {
            remove(path);
        }
    }

    private static void remove(Path folder) {
        try (Stream<Path> tree = Files.walk(folder)) {
            List<Path> deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            // Another process that starts at this moment may be removing it, too.
            LOG.warnf("Cannot remove %s: %s", folder, e);
        }
    }
}
