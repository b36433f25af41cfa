package dev.forebay.service;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Room for files that need not outlive this process: a folder named by its process id. What
 * processes left behind that are no more is removed. Safe for use by many threads.
 */
@Singleton
public class Workspace {

    private static final Logger LOG = Logger.getLogger(Workspace.class);

    private final Path own;

    Workspace(ServiceConfig config) {
        long pid = ProcessHandle.current().pid();
        Path root = config.workDirectory();
        own = root.resolve(Long.toString(pid));
        try {
            Files.createDirectories(root);
            try (DirectoryStream<Path> folders = Files.newDirectoryStream(root)) {
                for (Path folder : folders) {
                    if (isAbandoned(folder, pid)) {
                        remove(folder);
                    }
                }
            }
            Files.createDirectories(own);
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.work-directory: cannot use %s: %s".formatted(root, e),
                    e);
        }
    }

    /** A folder of this process, made by whoever uses it. */
    public Path folder(String name) {
        return own.resolve(name);
    }

    /** A new empty folder; remove it by closing. */
    public Temporary temporary(String prefix) {
        try {
            return new Temporary(Files.createTempDirectory(own, prefix));
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.CAPACITY_EXCEEDED,
                    "forebay.work-directory: cannot write to %s: %s".formatted(own, e),
                    e);
        }
    }

    /** A folder that is removed with all that is in it. */
    public record Temporary(Path path) implements AutoCloseable {

        @Override
        public void close() {
            remove(path);
        }
    }

    private static boolean isAbandoned(Path folder, long own) {
        String name = folder.getFileName().toString();
        if (!name.matches("[0-9]{1,18}")) {
            return false;
        }
        long pid = Long.parseLong(name);
        return pid == own || ProcessHandle.of(pid).isEmpty();
    }

    private static void remove(Path folder) {
        try (Stream<Path> tree = Files.walk(folder)) {
            List<Path> deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            // Another process that starts at this moment may be removing it too.
            LOG.warnf("Cannot remove %s: %s", folder, e);
        }
    }
}
