package dev.forebay.manifest.cache;

import dev.forebay.manifest.Digests;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.CatchAll;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Caches files in a directory of bounded size. A file is used only after this process has verified
 * it against its SHA-256, which is part of its name: {@code <SHA-256>.<key>.<kind>}, or {@code
 * <SHA-256>.<kind>} if the SHA-256 is the key.
 *
 * <p>Concurrent callers share one fetch. To free space, the cache evicts the least recently used
 * files that are not in use. Thread-safe. Only one cache at a time may use the directory.
 */
public final class FileCache {

    /** Provides the bytes of a file. */
    @FunctionalInterface
    public interface Source {

        /**
         * Writes the bytes to {@code target}, which does not exist yet. Files beside it whose names
         * begin with the target's name are removed at the next start.
         *
         * @return the SHA-256 of the bytes
         */
        Digest write(Path target);
    }

    private static final String UNFINISHED = ".unfinished";
    private static final String HASH = "[0-9a-f]{64}";
    private static final int HASH_LENGTH = 64;
    private static final int MOST_TOO_LARGE = 1000;

    private record Stored(Path file, Digest digest, long bytes) {}

    /** The state of one key. Guarded by the cache. */
    private static final class Entry {
        @Nullable Stored stored;
        boolean verified;
        int users;
        @Nullable Fetch fetch;
    }

    private final Path directory;
    private final String kind;
    private final long limitBytes;
    private final Executor threads;
    // In order of last use. Guarded by this.
    private final Map<Digest, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    // Providing one of these again would take long, and fail again. Guarded by this.
    private final LinkedHashSet<Digest> tooLarge = new LinkedHashSet<>();

    /**
     * Opens a cache over a directory, including the files that earlier processes left.
     *
     * @param directory created if it does not exist; unfinished files in it are removed
     * @param kind the suffix of the files' names
     * @param limitBytes the maximum size of all files together
     * @param threads verifies and provides files
     */
    public FileCache(Path directory, String kind, long limitBytes, Executor threads) {
        this.directory = directory;
        this.kind = kind;
        this.limitBytes = limitBytes;
        this.threads = threads;
        try {
            Files.createDirectories(directory);
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    adopt(file);
                }
            }
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.INTERNAL,
                    "cannot use %s (%s): check its disk, and its permissions"
                            .formatted(directory, e),
                    e);
        }
    }

    private void adopt(Path file) throws IOException {
        String name = file.getFileName().toString();
        if (name.contains(UNFINISHED)) {
            Files.delete(file);
        } else if (name.matches("%s(\\.%s)?\\.%s".formatted(HASH, HASH, kind))) {
            int end = name.length() - kind.length() - 1;
            Entry entry = new Entry();
            Digest digest = new Digest(name.substring(0, HASH_LENGTH));
            entry.stored = new Stored(file, digest, Files.size(file));
            entries.put(new Digest(name.substring(end - HASH_LENGTH, end)), entry);
        }
    }

    /** A file in use, which is not evicted until this is closed. It must be closed once. */
    public record Use(Path file, Digest digest, Runnable release) implements AutoCloseable {
        @Override
        public void close() {
            release.run();
        }
    }

    /**
     * Opens a file, and provides it if there is no intact copy. The caller must close the result.
     *
     * @throws ForebayException {@code CAPACITY_EXCEEDED} if the file is larger than the limit, or
     *     the directory is full of files in use; or as the source threw
     */
    public Use open(Digest key, Source source) {
        Entry entry = take(key);
        Runnable release = () -> release(key, entry);
        return CatchAll.closeOnFailure(
                release::run,
                () -> {
                    Stored stored = stored(key, entry, source);
                    return new Use(stored.file(), stored.digest(), release);
                });
    }

    private synchronized Entry take(Digest key) {
        Entry entry = entries.computeIfAbsent(key, _ -> new Entry());
        entry.users++;
        return entry;
    }

    private synchronized void release(Digest key, Entry entry) {
        entry.users--;
        if (entry.users == 0 && entry.stored == null) {
            entries.remove(key, entry);
        }
    }

    private Stored stored(Digest key, Entry entry, Source source) {
        Fetch fetch;
        boolean first;
        synchronized (this) {
            Stored stored = entry.stored;
            if (stored != null && entry.verified && Files.exists(stored.file())) {
                return stored;
            }
            if (tooLarge.contains(key)) {
                throw noSpace("this file is larger");
            }
            Fetch before = entry.fetch;
            first = before == null;
            fetch = before == null ? new Fetch(key, entry, source) : before;
            entry.fetch = fetch;
        }
        if (first) {
            boolean _ =
                    CatchAll.run(
                            () -> threads.execute(fetch),
                            noThread -> {
                                fetch.end();
                                fetch.completeExceptionally(noThread);
                            });
        }
        return result(fetch);
    }

    /** Returns the result of a future. A failure is thrown with the stack trace of this thread. */
    static <T> T result(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof ForebayException cause
                    ? new ForebayException(cause.code(), String.valueOf(cause.getMessage()), cause)
                    : e;
        }
    }

    /** Verifies a file, or provides it. */
    private final class Fetch extends CompletableFuture<Stored>
            implements Runnable, Callable<Stored> {

        private final Digest key;
        private final Entry entry;
        private final Source source;

        Fetch(Digest key, Entry entry, Source source) {
            this.key = key;
            this.entry = entry;
            this.source = source;
        }

        @Override
        public void run() {
            CatchAll.complete(this, this);
        }

        @Override
        public Stored call() {
            try {
                Stored old = old();
                Stored stored = old != null && isIntact(old) ? old : write();
                if (old != null && !old.file().equals(stored.file())) {
                    Files.deleteIfExists(old.file());
                }
                admit(key, entry, stored);
                return stored;
            } catch (IOException e) {
                throw new ForebayException(
                        ErrorCode.INTERNAL,
                        "cannot store a file (%s) in %s (%s): check its free space, and its permissions"
                                .formatted(kind, directory, e),
                        e);
            } finally {
                end();
            }
        }

        private @Nullable Stored old() {
            synchronized (FileCache.this) {
                return entry.stored;
            }
        }

        private static boolean isIntact(Stored stored) throws IOException {
            return Files.exists(stored.file()) && Digests.of(stored.file()).equals(stored.digest());
        }

        private Stored write() throws IOException {
            Path unfinished = directory.resolve(key.hex() + UNFINISHED);
            Files.deleteIfExists(unfinished);
            try {
                Digest digest = source.write(unfinished);
                String name = digest.equals(key) ? "" : key.hex() + ".";
                Path file = directory.resolve(digest.hex() + "." + name + kind);
                Files.move(
                        unfinished,
                        file,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
                return new Stored(file, digest, Files.size(file));
            } finally {
                Files.deleteIfExists(unfinished);
            }
        }

        /** Lets the next caller start another fetch. */
        private void end() {
            synchronized (FileCache.this) {
                entry.fetch = null;
            }
        }
    }

    private synchronized void admit(Digest key, Entry entry, Stored stored) throws IOException {
        entry.stored = stored;
        entry.verified = true;
        if (stored.bytes() > limitBytes) {
            tooLarge.add(key);
            if (tooLarge.size() > MOST_TOO_LARGE) {
                tooLarge.removeFirst();
            }
        } else {
            evictUnused();
        }
        long total = total();
        if (total > limitBytes) {
            Files.deleteIfExists(stored.file());
            entry.stored = null;
            entry.verified = false;
            throw noSpace(
                    "with this file of %d bytes they have %d".formatted(stored.bytes(), total));
        }
    }

    private void evictUnused() throws IOException {
        long total = total();
        Iterator<Entry> eldest = entries.values().iterator();
        while (total > limitBytes && eldest.hasNext()) {
            Entry victim = eldest.next();
            if (victim.users == 0 && victim.stored != null) {
                Files.deleteIfExists(victim.stored.file());
                total -= victim.stored.bytes();
                eldest.remove();
            }
        }
    }

    private long total() {
        return entries.values().stream()
                .mapToLong(entry -> entry.stored == null ? 0 : entry.stored.bytes())
                .sum();
    }

    private ForebayException noSpace(String why) {
        return new ForebayException(
                ErrorCode.CAPACITY_EXCEEDED,
                "the limit for files (%s) in %s is %d bytes, and %s"
                        .formatted(kind, directory, limitBytes, why));
    }

    /** Returns whether a file can be opened without providing it or computing its digest. */
    public synchronized boolean isHere(Digest key) {
        Entry entry = entries.get(key);
        return entry != null && entry.verified;
    }

    /** Returns all verified files, by their SHA-256. */
    public synchronized Map<Digest, Path> copies() {
        Map<Digest, Path> copies = new HashMap<>();
        for (Entry entry : entries.values()) {
            if (entry.verified && entry.stored != null) {
                copies.put(entry.stored.digest(), entry.stored.file());
            }
        }
        return copies;
    }

    /**
     * Marks a file as unverified. The next caller that opens it verifies it, and provides it again
     * if it is damaged. Users of the file continue.
     *
     * @param digest the SHA-256 of the file
     */
    public synchronized void distrust(Digest digest) {
        for (Entry entry : entries.values()) {
            if (entry.stored != null && entry.stored.digest().equals(digest)) {
                entry.verified = false;
            }
        }
    }
}
