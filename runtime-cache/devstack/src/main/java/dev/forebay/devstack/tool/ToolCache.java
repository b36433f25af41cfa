package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The tools that were obtained: {@code <cache>/<tool>/<version>/}.
 *
 * <p>A directory of that name is complete: it is made under another name and renamed. A file lock
 * per tool lets one process obtain it while others wait.
 */
final class ToolCache {
    private static final String UNFINISHED = ".unfinished-";

    private final Machine machine;
    private final Consumer<String> progress;

    ToolCache(Machine machine, Consumer<String> progress) {
        this.machine = machine;
        this.progress = progress;
    }

    /** The tool's directory, if it is complete. */
    Optional<Path> find(Tool tool) {
        return Optional.of(directory(tool)).filter(path -> Files.exists(path.resolve(tool.file())));
    }

    /** The tool's directory; obtains it first if it is not there. */
    Path obtain(Tool tool) {
        Path home = machine.cache().resolve(tool.name());
        // File locks are per process: threads of this one take turns by the monitor.
        synchronized (ToolCache.class) {
            try {
                Files.createDirectories(home);
                try (FileChannel channel =
                                FileChannel.open(
                                        home.resolve("lock"),
                                        StandardOpenOption.CREATE,
                                        StandardOpenOption.WRITE);
                        FileLock lock = lock(channel, tool)) {
                    Optional<Path> found = find(tool);
                    return found.isPresent() && lock.isValid() ? found.get() : make(tool, home);
                }
            } catch (IOException e) {
                throw new DevstackException("cannot write to the cache " + home, e);
            }
        }
    }

    private FileLock lock(FileChannel channel, Tool tool) throws IOException {
        FileLock lock = channel.tryLock();
        if (lock != null) {
            return lock;
        }
        progress.accept("%s: another process is obtaining it, waiting".formatted(tool.name()));
        return channel.lock();
    }

    private Path make(Tool tool, Path home) throws IOException {
        removeUnfinished(home);
        Path unfinished = home.resolve(tool.version() + UNFINISHED + UUID.randomUUID());
        Path log = home.resolve(tool.version() + ".log");
        Files.createDirectories(unfinished);
        Instant began = Instant.now();
        progress.accept(
                "%s %s: obtaining it, once; usually takes %s (log: %s)"
                        .formatted(tool.name(), tool.version(), tool.usually(), log));
        try (Heartbeat heartbeat = new Heartbeat(tool.name(), progress)) {
            heartbeat.start();
            tool.recipe().obtain(machine, unfinished, log);
            if (!Files.exists(unfinished.resolve(tool.file()))) {
                throw new DevstackException("no %s in what came".formatted(tool.file()));
            }
        } catch (DevstackException e) {
            delete(unfinished);
            throw new DevstackException(
                    "%s %s could not be obtained: %s%nInstead you can: %s."
                            .formatted(
                                    tool.name(), tool.version(), e.getMessage(), tool.otherwise()),
                    e);
        }
        Path directory = directory(tool);
        delete(directory);
        Files.move(unfinished, directory, StandardCopyOption.ATOMIC_MOVE);
        progress.accept(
                "%s %s: obtained in %d s"
                        .formatted(
                                tool.name(),
                                tool.version(),
                                Duration.between(began, Instant.now()).toSeconds()));
        return directory;
    }

    private Path directory(Tool tool) {
        return machine.cache().resolve(tool.name()).resolve(tool.version());
    }

    private static void removeUnfinished(Path home) throws IOException {
        try (Stream<Path> entries = Files.list(home)) {
            entries.filter(path -> path.getFileName().toString().contains(UNFINISHED))
                    .forEach(ToolCache::delete);
        }
    }

    private static void delete(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
