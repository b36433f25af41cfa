package dev.forebay.chunkstore;

import dev.forebay.chunkstore.eviction.TinyLfu;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The chunks on one disk: what of a {@link ChunkStore} is in one directory.
 *
 * <p>A disk that cannot be written and read any more, does not answer, or is not there, has failed
 * for good, and says so; nothing in it is touched then. One that answers at last is opened {@link
 * #anew}. Safe for use by many threads, but of one chunk only one may be written at a time.
 */
final class DiskStore implements AutoCloseable {

    private static final String LOCK = "chunks.lock";

    private final Path directory;
    private final Terms terms;
    private final DirectoryLock directoryLock;
    private final DiskCalls calls;
    private final ChunkTable table = new ChunkTable();
    private final Space space;
    private final DiskHealth health;
    private final DiskReads reads;
    private final DiskWrites writes;

    /** How a disk is used. */
    private record Terms(
            StoreLimits limits,
            DiskLimits diskLimits,
            Counters counters,
            Predicate<PackId> isProtected) {}

    private DiskStore(
            Path directory,
            DirectoryLock directoryLock,
            DiskCalls calls,
            ChunkFiles files,
            Terms terms)
            throws IOException {
        this.directory = directory;
        this.terms = terms;
        this.directoryLock = directoryLock;
        this.calls = calls;
        Counters counters = terms.counters;
        TinyLfu policy = new TinyLfu();
        space = new Space(files, table, counters, terms.limits, policy, terms.isProtected);
        DiskProbe probe = probe(directory);
        health = new DiskHealth(directory, probe, calls, counters);
        reads = new DiskReads(files, table, policy, space, health, counters);
        writes = new DiskWrites(directory, files, reads, space, health, counters);
        StoreScan.run(files, space, probe, counters);
    }

    /**
     * Opens the directory with the chunks that are there, and removes unfinished files.
     *
     * @throws ForebayException with {@code UNAVAILABLE} if another worker has the directory
     * @throws IOException if the disk fails
     */
    static DiskStore open(
            Path directory,
            StoreLimits limits,
            DiskLimits diskLimits,
            Counters counters,
            Predicate<PackId> isProtected)
            throws IOException {
        return open(
                directory,
                new Terms(limits, diskLimits, counters, isProtected),
                (calls, files) ->
                        calls.call(() -> prepare(directory, files))
                                .orElseThrow(
                                        () -> new IOException("disk " + directory + " hangs")));
    }

    /**
     * Closes this one, of a disk that hung, and opens its directory as at a start, however long the
     * disk takes.
     *
     * @throws ForebayException as {@link #open} does
     * @throws IOException if the disk fails, or is another one
     */
    DiskStore anew() throws IOException {
        Optional<IOException> failure = health.failureAfterHang();
        if (failure.isPresent()) {
            throw failure.get();
        }
        close();
        return open(directory, terms, (_, files) -> prepare(directory, files));
    }

    @FunctionalInterface
    private interface Preparation {
        DirectoryLock prepare(DiskCalls calls, ChunkFiles files) throws IOException;
    }

    private static DiskStore open(Path directory, Terms terms, Preparation preparation)
            throws IOException {
        DiskCalls calls = new DiskCalls(directory, terms.diskLimits);
        ChunkFiles files = new ChunkFiles(directory);
        DirectoryLock lock = null;
        try {
            lock = preparation.prepare(calls, files);
            return new DiskStore(directory, lock, calls, files, terms);
        } catch (IOException | RuntimeException e) {
            calls.close();
            if (lock != null) {
                lock.close();
            }
            throw e;
        }
    }

    private static DirectoryLock prepare(Path directory, ChunkFiles files) throws IOException {
        Files.createDirectories(directory);
        DirectoryLock lock = DirectoryLock.take(directory.resolve(LOCK));
        try {
            files.prepare();
            Optional<IOException> failure = probe(directory).failure();
            if (failure.isPresent()) {
                throw failure.get();
            }
            return lock;
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private static DiskProbe probe(Path directory) throws IOException {
        return new DiskProbe(directory.resolve(LOCK), directory.resolve("incoming/probe"));
    }

    Path directory() {
        return directory;
    }

    /** Whom to tell when it fails, on the thread that finds out. */
    void onFailure(Consumer<DiskStore> listener) {
        health.onFailure(() -> listener.accept(this));
    }

    /**
     * Whom to tell when it failed because it did not answer, and now has answered all that it was
     * asked; on a thread that is the listener's from then on.
     */
    void onAnswer(Consumer<DiskStore> listener) {
        calls.onAnswer(() -> listener.accept(this));
    }

    boolean hasFailed() {
        return health.hasFailed();
    }

    boolean has(ChunkId id) {
        return table.get(id) != null;
    }

    /** Opens a chunk as {@link ChunkStore#find(ChunkId, int, int)} does. */
    Optional<StoredChunk> find(ChunkId id, int from, int to) {
        return has(id)
                ? calls.call(() -> reads.open(id, from, to)).flatMap(Function.identity())
                : Optional.empty();
    }

    boolean holds(ChunkId id, int from, int to) {
        ChunkEntry entry = table.get(id);
        if (entry != null && entry.unread()) {
            entry =
                    calls.call(() -> Optional.ofNullable(reads.current(id)))
                            .flatMap(Function.identity())
                            .orElse(null);
        }
        return entry != null && to <= entry.length() && entry.valid().holds(from, to);
    }

    /**
     * Stores bytes as {@link ChunkStore#put} does.
     *
     * @param elsewhere the chunk on another disk, whose bytes are taken over
     */
    void put(ChunkId id, ByteBuffer data, ValidBlocks valid, @Nullable StoredChunk elsewhere) {
        Optional<Boolean> stored =
                calls.call(
                        () -> {
                            writes.store(id, data, valid, elsewhere);
                            return true;
                        });
        if (stored.isEmpty()) {
            throw writes.leftAlone(id);
        }
    }

    Dropped drop(ChunkId id) {
        return has(id) ? calls.call(() -> remove(id)).orElse(Dropped.NONE) : Dropped.NONE;
    }

    private Dropped remove(ChunkId id) {
        Dropped dropped = Dropped.NONE;
        for (ChunkEntry entry = table.get(id);
                entry != null && dropped.equals(Dropped.NONE);
                entry = table.get(id)) {
            dropped = space.remove(entry);
        }
        return dropped;
    }

    ChunkStore.Verdict verify(ChunkId id) {
        return calls.call(() -> reads.compare(id)).orElse(ChunkStore.Verdict.ABSENT);
    }

    int length(ChunkId id) {
        ChunkEntry entry = table.get(id);
        return entry == null ? 0 : entry.length();
    }

    List<PackId> packs() {
        return table.packs();
    }

    List<ChunkId> chunks(PackId pack) {
        return table.chunks(pack);
    }

    long footprint(PackId pack) {
        return table.footprint(pack);
    }

    StoreLimits limits() {
        return terms.limits;
    }

    long usedBytes() {
        return space.used();
    }

    long size() {
        return table.size();
    }

    @Override
    public void close() throws IOException {
        calls.close();
        directoryLock.close();
    }
}
