package dev.forebay.fuse.nodecache;

import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The packs in the cache's directory, {@code <pack>.pack} and {@code <pack>.map}. All stay open
 * until they are discarded. Other files are not touched. Thread-safe.
 */
final class PackFiles implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PackFiles.class);

    private static final String DATA = ".pack";
    private static final String MAP = ".map";
    private static final String NAME = "[0-9a-f]".repeat(64);

    /** A pack that stays open until this is closed. */
    record Use(PackFile file) implements AutoCloseable {
        @Override
        public void close() {
            file.leave();
        }
    }

    private final Path directory;
    private final CacheCapacity space;
    private final CacheCounters counters;
    private final DamageLog damage;
    private final Map<PackId, PackFile> packs = new ConcurrentHashMap<>();

    /** Packs whose damaged files were deleted at the start, until they are created again. */
    private final Set<PackId> damagedAtStart = ConcurrentHashMap.newKeySet();

    private PackFiles(
            Path directory, CacheCapacity space, CacheCounters counters, DamageLog damage) {
        this.directory = directory;
        this.space = space;
        this.counters = counters;
        this.damage = damage;
    }

    /**
     * Opens the directory, which is created if it does not exist. Damaged packs are removed. Packs
     * without cached pages are removed too, unless they have the mark of {@link DamageMark}.
     */
    static PackFiles open(
            Path directory, CacheCapacity space, CacheCounters counters, DamageLog damage)
            throws IOException {
        PackFiles files = new PackFiles(directory, space, counters, damage);
        try {
            Files.createDirectories(directory);
            files.adopt();
            return files;
        } catch (IOException | RuntimeException e) {
            files.packs.values().forEach(PackFile::close);
            throw e;
        }
    }

    private void adopt() throws IOException {
        try (DirectoryStream<Path> found =
                Files.newDirectoryStream(directory, "{" + NAME + DATA + "," + NAME + MAP + "}")) {
            Set<PackId> ids = new HashSet<>();
            for (Path file : found) {
                String name = file.getFileName().toString();
                ids.add(PackId.parse(name.substring(0, name.lastIndexOf('.'))));
            }
            for (PackId id : ids) {
                adopt(id);
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private void adopt(PackId id) throws IOException {
        try {
            PackFile pack =
                    PackFile.open(id, path(id, DATA), path(id, MAP), space, counters, damage);
            // Views may outlive all cached pages of a pack.
            if (!pack.chunks().isEmpty() || pack.holds().foundWrong().isMarked()) {
                packs.put(id, pack);
                return;
            }
            pack.close();
            delete(id);
        } catch (DamagedMapException | NoSuchFileException e) {
            fetchAgain(id, e);
        } catch (SystemCallException e) {
            if (isOfThisProcess(e)) {
                throw e;
            }
            fetchAgain(id, e);
        }
    }

    /** Returns whether this process lacks a resource or a permission; the pack may be intact. */
    private static boolean isOfThisProcess(SystemCallException e) {
        return ErrorNumber.isOneOf(
                e,
                ErrorNumber.EMFILE,
                ErrorNumber.ENFILE,
                ErrorNumber.ENOMEM,
                ErrorNumber.EACCES,
                ErrorNumber.EPERM);
    }

    private void fetchAgain(PackId id, IOException why) throws IOException {
        LOG.warn("Pack {} is fetched again: {}", id, why.toString());
        counters.diskErrors.increment();
        damagedAtStart.add(id);
        delete(id);
    }

    private void delete(PackId id) throws IOException {
        Files.deleteIfExists(path(id, DATA));
        Files.deleteIfExists(path(id, MAP));
    }

    private Path path(PackId id, String suffix) {
        return directory.resolve(id + suffix);
    }

    /** Returns a pack's files, which are created if they do not exist. */
    Use get(PackId id, long bytes) throws IOException {
        Optional<Use> known = find(id);
        while (known.isEmpty()) {
            try {
                // Waits while the pack is being discarded.
                PackFile file = packs.computeIfAbsent(id, _ -> create(id, bytes));
                known = Optional.of(file).filter(PackFile::enter).map(Use::new);
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }
        return known.get();
    }

    /** Returns a pack's files if they exist. */
    Optional<Use> find(PackId id) {
        return Optional.ofNullable(packs.get(id)).filter(PackFile::enter).map(Use::new);
    }

    /** Closes and deletes a pack without cached pages unless it is in use. */
    void discard(PackId id) {
        packs.computeIfPresent(id, (_, pack) -> pack.retire() ? deleted(pack) : pack);
    }

    /**
     * Removes the pack from the map even if deleting fails: other threads wait for a usable pack,
     * and no thread can enter this one again.
     */
    private @Nullable PackFile deleted(PackFile pack) {
        pack.close();
        try {
            delete(pack.id());
        } catch (IOException e) {
            LOG.warn(
                    "Cannot delete the empty files of pack {}, which stay until it is created "
                            + "again",
                    pack.id(),
                    e);
            counters.diskErrors.increment();
        }
        return null;
    }

    private PackFile create(PackId id, long bytes) {
        try {
            delete(id);
            try {
                PackFile made =
                        PackFile.create(
                                id, bytes, path(id, DATA), path(id, MAP), space, counters, damage);
                mark(made);
                return made;
            } catch (IOException e) {
                delete(id);
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Marks a pack whose files were deleted at the start: views over the deleted files may show
     * damage.
     */
    private void mark(PackFile made) throws IOException {
        try {
            if (damagedAtStart.contains(made.id())) {
                made.holds().foundWrong().add();
                damagedAtStart.remove(made.id());
            }
        } catch (IOException e) {
            made.close();
            throw e;
        }
    }

    List<PackId> all() {
        return List.copyOf(packs.keySet());
    }

    /**
     * Syncs everything to the device, so that nothing must be verified at the next start. Stops
     * when its thread is interrupted, because another process may use the files by then.
     */
    @Override
    public void close() {
        for (PackFile pack : packs.values()) {
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            try {
                pack.settle();
            } catch (IOException e) {
                LOG.warn(
                        "Cannot store that pack {} was verified; it is compared with its "
                                + "checksums again",
                        pack.id(),
                        e);
            }
            pack.close();
        }
    }
}
