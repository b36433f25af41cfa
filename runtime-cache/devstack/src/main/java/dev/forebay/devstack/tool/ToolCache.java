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
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;

/**
 * The obtained tools, in {@code <cache>/<tool>/<version>/}.
 *
 * <p>A directory with such a name is complete, because it is created under another name and
 * renamed. A file lock for each tool lets one process obtain it while others wait.
 */
final class ToolCache {
    private static final String UNFINISHED = ".unfinished-";
    private static final ConcurrentMap<Path, Object> TURNS = new ConcurrentHashMap<>();

    private final Machine machine;
    private final Progress progress;

    ToolCache(Machine machine, Progress progress) {
        this.machine = machine;
        this.progress = progress;
    }

    /** Returns the tool's directory, if it is complete. */
    Optional<Path> find(Tool tool) {
        return Optional.of(directory(tool)).filter(path -> Files.exists(path.resolve(tool.file())));
    }

    /** Returns the tool's directory. Obtains the tool first if it is missing. */
    Path obtain(Tool tool) {
        Path home = machine.cache().resolve(tool.name());
        // File locks are per process, so the monitor serialises threads that need the same tool.
        synchronized (TURNS.computeIfAbsent(home, _ -> new Object())) {
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
        progress.say("%s: another process is obtaining it, waiting".formatted(tool.name()));
        return channel.lock();
    }

    private Path make(Tool tool, Path home) throws IOException {
        removeUnfinished(home);
        Path unfinished = home.resolve(tool.version() + UNFINISHED + UUID.randomUUID());
        Path log = home.resolve(tool.version() + ".log");
        Files.createDirectories(unfinished);
        try (Progress.Step step = progress.begin(tool.toString(), tool.usually())) {
            tool.recipe().obtain(machine, unfinished, log);
            if (!Files.exists(unfinished.resolve(tool.file()))) {
                throw new DevstackException("the download has no %s".formatted(tool.file()));
            }
            Path directory = directory(tool);
            Trees.delete(directory);
            Files.move(unfinished, directory, StandardCopyOption.ATOMIC_MOVE);
            step.done();
            return directory;
        } catch (DevstackException | UncheckedIOException e) {
            Trees.delete(unfinished);
            throw new DevstackException(
                    "Cannot obtain %s: %s%nThe log is %s. Alternative: %s."
                            .formatted(tool, e.getMessage(), log, tool.otherwise()),
                    e);
        }
    }

    private Path directory(Tool tool) {
        return machine.cache().resolve(tool.name()).resolve(tool.version());
    }

    private static void removeUnfinished(Path home) throws IOException {
        try (Stream<Path> entries = Files.list(home)) {
            entries.filter(path -> path.getFileName().toString().contains(UNFINISHED))
                    .forEach(Trees::delete);
        }
    }
}
