package dev.forebay.manifest.cache;

import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.thread.CatchAll;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Caches local copies of manifests, by digest, in a {@link FileCache}, and shares open ones.
 *
 * <p>If a copy turns out to be damaged while it is open, the next caller that opens it fetches it
 * again. Thread-safe. Only one cache at a time may use the directory.
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

    private record Opened(SqliteManifest manifest, FileCache.Use file) {

        void close() {
            try (file) {
                manifest.close();
            }
        }
    }

    private final FileCache files;
    private final Fetcher fetcher;
    // Those that are open or being opened. Guarded by this.
    private final Map<Digest, Shared> shared = new HashMap<>();

    /**
     * Opens a cache over a directory, including the copies that earlier processes left.
     *
     * @param directory created if it does not exist; unfinished downloads in it are removed
     * @param limitBytes the maximum size of all copies together
     */
    public ManifestCache(Path directory, long limitBytes, Fetcher fetcher) {
        this.files = new FileCache(directory, "sqlite", limitBytes, Runnable::run);
        this.fetcher = fetcher;
    }

    /** A manifest that is open or being opened, with the number of its users. */
    private final class Shared implements Runnable, Callable<Opened> {

        private final ManifestRef ref;
        private final CompletableFuture<Opened> opened = new CompletableFuture<>();

        // Guarded by the cache. The opener counts as a user, so that the manifest is not closed
        // before it is open.
        private int users = 1;

        Shared(ManifestRef ref) {
            this.ref = ref;
        }

        @Override
        public void run() {
            CatchAll.complete(opened, this);
            release();
        }

        @Override
        public Opened call() {
            Opened done = null;
            try {
                FileCache.Use file = files.open(ref.digest(), target -> fetch(ref, target));
                done =
                        CatchAll.closeOnFailure(
                                file,
                                () ->
                                        new Opened(
                                                SqliteManifest.open(file.file(), this::distrust),
                                                file));
                return done;
            } finally {
                if (done == null) {
                    forget();
                }
            }
        }

        /** Fails all callers if no thread can open the manifest. */
        private void refuse(Throwable noThread) {
            forget();
            opened.completeExceptionally(
                    new ForebayException(
                            ErrorCode.UNAVAILABLE, "no thread to fetch a manifest", noThread));
            release();
        }

        /** Lets the next caller open the manifest again. */
        private void forget() {
            synchronized (ManifestCache.this) {
                shared.remove(ref.digest(), this);
            }
        }

        /** A read found damage. */
        private void distrust() {
            synchronized (ManifestCache.this) {
                if (shared.remove(ref.digest(), this)) {
                    LOG.warn("Manifest {} is damaged on disk, and is fetched again", ref.digest());
                    files.distrust(ref.digest());
                }
            }
        }

        private void release() {
            synchronized (ManifestCache.this) {
                users--;
                if (users > 0) {
                    return;
                }
                forget();
            }
            if (!opened.isCompletedExceptionally()) {
                opened.join().close();
            }
        }
    }

    private Digest fetch(ManifestRef ref, Path target) {
        fetcher.fetch(ref, target);
        Digest digest = ManifestFile.digestOf(target);
        if (!digest.equals(ref.digest())) {
            throw new ForebayException(
                    ErrorCode.CORRUPT,
                    "manifest %s has SHA-256 %s, not %s"
                            .formatted(ref.uri(), digest, ref.digest()));
        }
        return digest;
    }

    /**
     * Opens a manifest, and fetches it if there is no local copy. The caller must close the result.
     *
     * @throws ForebayException with {@code CORRUPT} if the fetched file has another digest, {@code
     *     CAPACITY_EXCEEDED} if the directory is full of manifests in use, or as the fetcher threw
     */
    public CachedManifest open(ManifestRef ref) {
        Shared mine = use(ref, Runnable::run);
        return opened(mine, mine.opened);
    }

    /**
     * Like {@link #open(ManifestRef)}, with a timeout. After the timeout the fetch continues, for
     * the next caller.
     *
     * @throws ForebayException also with {@code UNAVAILABLE} after the timeout
     */
    public CachedManifest open(ManifestRef ref, Duration timeout) {
        Shared mine =
                use(ref, task -> Thread.ofPlatform().daemon().name("manifest fetcher").start(task));
        try {
            return opened(
                    mine, mine.opened.copy().orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (CompletionException e) {
            if (e.getCause() instanceof TimeoutException) {
                throw new ForebayException(
                        ErrorCode.UNAVAILABLE,
                        "manifest %s is still being fetched after %d ms: retry"
                                .formatted(ref.digest(), timeout.toMillis()),
                        e);
            }
            throw e;
        }
    }

    /** Registers a use of a manifest. The first user starts opening it. */
    private Shared use(ManifestRef ref, Executor opener) {
        Shared mine;
        boolean first;
        synchronized (this) {
            Shared before = shared.get(ref.digest());
            first = before == null;
            mine = before == null ? new Shared(ref) : before;
            shared.put(ref.digest(), mine);
            mine.users++;
        }
        if (first) {
            boolean _ = CatchAll.run(() -> opener.execute(mine), mine::refuse);
        }
        return mine;
    }

    private static CachedManifest opened(Shared mine, CompletableFuture<Opened> awaited) {
        return CatchAll.closeOnFailure(
                mine::release,
                () -> {
                    Opened opened = FileCache.result(awaited);
                    return new OpenManifest(
                            opened.manifest(),
                            opened.file().file(),
                            new AtomicBoolean(),
                            mine::release);
                });
    }

    /** Returns whether a manifest can be opened without fetching it or computing its digest. */
    public boolean isHere(ManifestRef ref) {
        return files.isHere(ref.digest());
    }

    /** Returns all verified copies. */
    public Map<Digest, Path> copies() {
        return files.copies();
    }

    /**
     * Marks a copy as unverified. The next caller that opens it verifies it, and fetches it if it
     * is damaged. Open manifests continue to use the copy.
     */
    public synchronized void distrust(Digest digest) {
        shared.remove(digest);
        files.distrust(digest);
    }
}
