package dev.forebay.chunkstore;

import dev.forebay.chunkstore.eviction.TinyLfu;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.chunkstore.file.ValidBlocks;
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
 * Stores the chunks of one directory of a {@link ChunkStore}, on one disk.
 *
 * <p>A disk fails for good if it cannot be written and read any more, does not answer, or is
 * missing. It then reports its failure to a listener, and the store touches nothing in it. If a
 * disk that hung answers later, {@link ChunkStore} opens it as a new instance. Safe for use by many
 * threads, but the caller serializes the writes of each chunk.
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

    /** The parameters of a disk, kept to open it again. */
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
     * Opens the directory with the chunks in it, and removes unfinished files.
     *
     * @throws ForebayException with {@code UNAVAILABLE} if another worker uses the directory
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
     * Closes this store, whose disk hung and has answered, and opens the directory as at a start.
     * Has no timeout.
     *
     * @throws ForebayException as {@link #open} does
     * @throws IOException if the disk fails, or another disk is in its place
     */
    DiskStore reopened() throws IOException {
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

    /**
     * Sets the listener for the failure of this disk. It runs on the thread that finds the failure.
     */
    void onFailure(Consumer<DiskStore> listener) {
        health.onFailure(() -> listener.accept(this));
    }

    /**
     * Sets the listener that runs when a disk that hung has answered all its calls. The listener
     * may take some time, because nothing else waits for its thread.
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
     * @param otherCopy the chunk on another disk, whose bytes are copied
     */
    void put(ChunkId id, ByteBuffer data, ValidBlocks valid, @Nullable StoredChunk otherCopy) {
        Optional<Boolean> stored =
                calls.call(
                        () -> {
                            writes.store(id, data, valid, otherCopy);
                            return true;
                        });
        if (stored.isEmpty()) {
            throw writes.rested(id);
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
