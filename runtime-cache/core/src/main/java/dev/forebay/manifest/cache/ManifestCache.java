package dev.forebay.manifest.cache;

import dev.forebay.manifest.Digests;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Caches local copies of manifests, by digest, in a directory of bounded size.
 *
 * <p>A copy is used only after this process has verified its SHA-256. If it turns out to be damaged
 * later, the next caller that opens it fetches it again. Concurrent callers share one fetch. To
 * free space, the cache evicts the least recently used copies that are not open. Thread-safe. Only
 * one cache at a time may use the directory.
 */
public final class ManifestCache {

    /**
     * Fetches the bytes of a manifest to {@code target}, which does not exist yet. Files beside it
     * whose names begin with the target's name are removed at the next start.
     */
    @FunctionalInterface
    public interface Fetcher {
        /** Fails with any {@link ForebayException}, which all waiting callers get. */
        void fetch(ManifestRef ref, Path target);
    }

    private static final Logger LOG = LoggerFactory.getLogger(ManifestCache.class);
    private static final String SUFFIX = ".sqlite";
    private static final String FETCHING = ".fetching";

    /**
     * A manifest that is open or being opened, with the number of its users. Guarded by the cache.
     */
    private static final class Shared {
        final CompletableFuture<SqliteManifest> manifest = new CompletableFuture<>();
        int users;
    }

    /** The state of one digest. Guarded by the cache. */
    private static final class Entry {
        final Path file;
        long bytes;
        boolean verified;
        @Nullable Shared shared;

        Entry(Path file) {
            this.file = file;
        }
    }

    private record Use(Entry entry, Shared shared) {}

    private final Path directory;
    private final long limitBytes;
    private final Fetcher fetcher;
    // In order of last use. Guarded by this.
    private final Map<Digest, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Opens a cache over a directory, including the copies that earlier processes left.
     *
     * @param directory created if it does not exist; unfinished downloads in it are removed
     * @param limitBytes the maximum size of all copies together
     */
    public ManifestCache(Path directory, long limitBytes, Fetcher fetcher) {
        this.directory = directory;
        this.limitBytes = limitBytes;
        this.fetcher = fetcher;
        try {
            Files.createDirectories(directory);
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    adopt(file);
                }
            }
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot use " + directory, e);
        }
    }

    private void adopt(Path file) throws IOException {
        String name = file.getFileName().toString();
        if (name.contains(FETCHING)) {
            Files.delete(file);
        } else if (name.matches("[0-9a-f]{64}\\" + SUFFIX)) {
            Entry entry = new Entry(file);
            entry.bytes = Files.size(file);
            entries.put(new Digest(name.substring(0, 64)), entry);
        }
    }

    /**
     * Opens a manifest, and fetches it if there is no local copy. The caller must close the result.
     *
     * @throws ForebayException with {@code CORRUPT} if the fetched file has another digest, {@code
     *     CAPACITY_EXCEEDED} if the directory is full of manifests in use, or as the fetcher threw
     */
    public CachedManifest open(ManifestRef ref) {
        Use use = use(ref, Runnable::run);
        return opened(use, use.shared.manifest);
    }

    /**
     * Like {@link #open(ManifestRef)}, with a timeout. After the timeout the fetch continues, for
     * the next caller.
     *
     * @throws ForebayException also with {@code UNAVAILABLE} after the timeout
     */
    public CachedManifest open(ManifestRef ref, Duration patience) {
        Use use =
                use(ref, task -> Thread.ofPlatform().daemon().name("manifest fetcher").start(task));
        try {
            return opened(
                    use,
                    use.shared.manifest.copy().orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (CompletionException e) {
            if (e.getCause() instanceof TimeoutException) {
                throw new ForebayException(
                        ErrorCode.UNAVAILABLE,
                        "manifest %s is not here after %d ms; it is still being fetched"
                                .formatted(ref.digest(), patience.toMillis()),
                        e);
            }
            throw e;
        }
    }

    /** Returns whether a manifest can be opened without fetching it or computing its digest. */
    public synchronized boolean isHere(ManifestRef ref) {
        Entry entry = entries.get(ref.digest());
        return entry != null && entry.verified;
    }

    /** Returns all verified copies. */
    public synchronized Map<Digest, Path> copies() {
        Map<Digest, Path> copies = new HashMap<>();
        entries.forEach(
                (digest, entry) -> {
                    if (entry.verified) {
                        copies.put(digest, entry.file);
                    }
                });
        return copies;
    }

    /**
     * Marks a copy as unverified. The next caller that opens it verifies it, and fetches it if it
     * is damaged. Open manifests continue to use the copy.
     */
    public synchronized void distrust(Digest digest) {
        Entry entry = entries.get(digest);
        if (entry != null) {
            entry.shared = null;
            entry.verified = false;
        }
    }

    /** Registers a use of a manifest. The first user starts opening it. */
    private Use use(ManifestRef ref, Executor opener) {
        Entry entry;
        Shared shared;
        boolean first;
        synchronized (this) {
            entry =
                    entries.computeIfAbsent(
                            ref.digest(),
                            digest -> new Entry(directory.resolve(digest.hex() + SUFFIX)));
            first = entry.shared == null;
            shared = entry.shared == null ? new Shared() : entry.shared;
            entry.shared = shared;
            // The opener counts as a user, so that the manifest is not closed before it is open.
            shared.users += first ? 2 : 1;
        }
        if (first) {
            try {
                opener.execute(() -> provide(ref, entry, shared));
            } catch (OutOfMemoryError noThread) {
                forget(entry, shared);
                shared.manifest.completeExceptionally(
                        new ForebayException(
                                ErrorCode.UNAVAILABLE, "no thread to fetch a manifest", noThread));
                release(entry, shared);
            }
        }
        return new Use(entry, shared);
    }

    private void provide(ManifestRef ref, Entry entry, Shared shared) {
        try {
            shared.manifest.complete(opened(ref, entry, shared));
        } catch (RuntimeException | Error e) {
            forget(entry, shared);
            shared.manifest.completeExceptionally(e);
        } finally {
            release(entry, shared);
        }
    }

    private CachedManifest opened(Use use, CompletableFuture<SqliteManifest> manifest) {
        try {
            return new OpenManifest(
                    manifest.join(),
                    use.entry.file,
                    new AtomicBoolean(),
                    () -> release(use.entry, use.shared));
        } catch (CompletionException e) {
            release(use.entry, use.shared);
            throw e.getCause() instanceof ForebayException cause
                    ? new ForebayException(cause.code(), String.valueOf(cause.getMessage()), cause)
                    : e;
        }
    }

    /** After a failure the next caller tries again. */
    private synchronized void forget(Entry entry, Shared shared) {
        if (entry.shared == shared) {
            entry.shared = null;
        }
    }

    private synchronized void release(Entry entry, Shared shared) {
        shared.users--;
        if (shared.users == 0) {
            forget(entry, shared);
            if (!shared.manifest.isCompletedExceptionally()) {
                shared.manifest.join().close();
            }
        }
    }

    private SqliteManifest opened(ManifestRef ref, Entry entry, Shared shared) {
        try {
            if (!isVerified(entry) || !Files.exists(entry.file)) {
                if (!Files.exists(entry.file) || !Digests.of(entry.file).equals(ref.digest())) {
                    fetch(ref, entry.file);
                }
                admit(ref, entry, Files.size(entry.file));
            }
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.INTERNAL,
                    "cannot keep manifest " + ref.uri() + " in " + directory,
                    e);
        }
        return SqliteManifest.open(entry.file, () -> distrust(entry, shared));
    }

    /**
     * Marks a damaged copy as unverified, so that the next caller verifies it and fetches it again.
     */
    private synchronized void distrust(Entry entry, Shared shared) {
        if (entry.shared == shared) {
            LOG.warn("{} is not what was verified, and is fetched again", entry.file);
            entry.shared = null;
            entry.verified = false;
        }
    }

    private synchronized boolean isVerified(Entry entry) {
        return entry.verified;
    }

    private void fetch(ManifestRef ref, Path file) throws IOException {
        Path fetching = file.resolveSibling(file.getFileName() + FETCHING);
        Files.deleteIfExists(fetching);
        try {
            fetcher.fetch(ref, fetching);
            Digest digest = Digests.of(fetching);
            if (!digest.equals(ref.digest())) {
                throw new ForebayException(
                        ErrorCode.CORRUPT,
                        "manifest %s has SHA-256 %s, not %s"
                                .formatted(ref.uri(), digest, ref.digest()));
            }
            Files.move(
                    fetching,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fetching);
        }
    }

    private synchronized void admit(ManifestRef ref, Entry entry, long bytes) throws IOException {
        entry.bytes = bytes;
        entry.verified = true;
        long total = entries.values().stream().mapToLong(each -> each.bytes).sum();
        Iterator<Entry> eldest = entries.values().iterator();
        while (total > limitBytes && eldest.hasNext()) {
            Entry victim = eldest.next();
            if (victim.shared == null) {
                Files.deleteIfExists(victim.file);
                total -= victim.bytes;
                eldest.remove();
            }
        }
        if (total > limitBytes) {
            Files.deleteIfExists(entry.file);
            entry.bytes = 0;
            entry.verified = false;
            throw new ForebayException(
                    ErrorCode.CAPACITY_EXCEEDED,
                    "no room for the %d bytes of manifest %s: %s may hold %d bytes, all in use"
                            .formatted(bytes, ref.uri(), directory, limitBytes));
        }
    }
}
