package dev.forebay.chunkstore;

import dev.forebay.chunkstore.eviction.TinyLfu;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The chunks on one disk: what of a {@link ChunkStore} is in one directory.
 *
 * <p>A disk that cannot be written and read any more, does not answer, or is not there, has failed
 * for good, and says so; nothing in it is touched then. Safe for use by many threads, but of one
 * chunk only one may be written at a time.
 */
final class DiskStore implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DiskStore.class);

    private static final String LOCK = "chunks.lock";
    private static final int WRITE_ATTEMPTS = 3;

    /** A disk that takes writes and has lost so many chunks is given up all the same. */
    static final int MOST_UNREADABLE = 100;

    private final Path directory;
    private final StoreLimits limits;
    private final DirectoryLock directoryLock;
    private final DiskProbe probe;
    private final DiskCalls calls;
    private final ChunkFiles files;
    private final ChunkTable table = new ChunkTable();
    private final TinyLfu policy = new TinyLfu();
    private final Counters counters;
    private final Space space;
    private final AtomicInteger unreadable = new AtomicInteger();
    private volatile boolean failed;
    private volatile Consumer<DiskStore> onFailure = _ -> {};

    private DiskStore(
            Path directory,
            DirectoryLock directoryLock,
            DiskCalls calls,
            ChunkFiles files,
            StoreLimits limits,
            Counters counters,
            Predicate<PackId> isProtected)
            throws IOException {
        this.directory = directory;
        this.limits = limits;
        this.directoryLock = directoryLock;
        this.calls = calls;
        this.counters = counters;
        this.files = files;
        this.space = new Space(files, table, counters, limits, policy, isProtected);
        this.probe = probe(directory);
        calls.onHang(this::fail);
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
        DiskCalls calls = new DiskCalls(directory, diskLimits);
        ChunkFiles files = new ChunkFiles(directory);
        DirectoryLock lock = null;
        try {
            lock =
                    calls.call(() -> prepare(directory, files))
                            .orElseThrow(() -> new IOException("disk " + directory + " hangs"));
            return new DiskStore(directory, lock, calls, files, limits, counters, isProtected);
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
        onFailure = listener;
    }

    boolean hasFailed() {
        return failed;
    }

    boolean has(ChunkId id) {
        return table.get(id) != null;
    }

    /** Opens a chunk as {@link ChunkStore#find(ChunkId, int, int)} does. */
    Optional<StoredChunk> find(ChunkId id, int from, int to) {
        return has(id)
                ? calls.call(() -> open(id, from, to)).flatMap(Function.identity())
                : Optional.empty();
    }

    private Optional<StoredChunk> open(ChunkId id, int from, int to) {
        Optional<StoredChunk> chunk = Optional.empty();
        // One that is gone may just have been replaced by one of another name.
        for (ChunkEntry entry = table.get(id);
                entry != null && chunk.isEmpty() && !failed;
                entry = table.get(id)) {
            policy.touch(entry.slot());
            chunk = open(entry, from, to);
        }
        return chunk;
    }

    private Optional<StoredChunk> open(ChunkEntry entry, int from, int to) {
        try {
            StoredChunk chunk = openFile(entry);
            try {
                chunk.bring(from, to);
                return Optional.of(chunk);
            } catch (IOException | RuntimeException e) {
                chunk.close();
                throw e;
            }
        } catch (NoSuchFileException gone) {
            gone(entry);
        } catch (IOException e) {
            failed(entry, e);
        }
        return Optional.empty();
    }

    private StoredChunk openFile(ChunkEntry entry) throws IOException {
        return StoredChunk.open(
                files.path(entry.id().pack(), entry.name()), entry.id(), entry.name());
    }

    /** The file of an entry is not there: replaced or evicted meanwhile, or with its disk. */
    private void gone(ChunkEntry entry) {
        if (!space.remove(entry).equals(Dropped.NONE)) {
            probe();
        }
    }

    private void failed(ChunkEntry entry, IOException e) {
        DiskFailure failure = DiskFailure.of(e);
        switch (failure) {
            case DAMAGED -> {}
            case UNREADABLE -> {
                counters.diskErrors.increment();
                if (unreadable.incrementAndGet() > MOST_UNREADABLE) {
                    fail(e);
                }
                probe();
            }
            case FULL, OTHER ->
                    throw new ForebayException(
                            ErrorCode.UNAVAILABLE, "cannot read chunk " + entry.id(), e);
        }
        // Several may find the same damage; who removes the chunk counts it.
        if (!failed && space.remove(entry).chunks() > 0 && failure == DiskFailure.DAMAGED) {
            counters.damaged.increment();
        }
    }

    /** Looks whether a disk that did something wrong is still good for anything. */
    private void probe() {
        if (!failed) {
            probe.failure().ifPresent(this::fail);
        }
    }

    private synchronized void fail(IOException why) {
        if (!failed) {
            failed = true;
            calls.giveUp();
            LOG.error("Disk {} has failed and is left alone from now on", directory, why);
            onFailure.accept(this);
        }
    }

    /** Reads the footer of a chunk if that is needed to know what is valid, and was not done. */
    private @Nullable ChunkEntry read(@Nullable ChunkEntry entry) {
        if (entry == null || !entry.unread()) {
            return entry;
        }
        try (StoredChunk chunk = open(entry, 0, 0).orElse(null)) {
            return chunk == null ? null : table.read(entry, chunk.valid());
        }
    }

    private @Nullable ChunkEntry current(ChunkId id) {
        return read(table.get(id));
    }

    boolean holds(ChunkId id, int from, int to) {
        ChunkEntry entry = table.get(id);
        if (entry != null && entry.unread()) {
            entry =
                    calls.call(() -> Optional.ofNullable(current(id)))
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
                            store(id, data, valid, elsewhere);
                            return true;
                        });
        if (stored.isEmpty()) {
            throw leftAlone(id);
        }
    }

    private void store(
            ChunkId id, ByteBuffer data, ValidBlocks valid, @Nullable StoredChunk elsewhere) {
        ChunkEntry before = current(id);
        if (before != null && before.length() != valid.chunkBytes()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "chunk %s is %d bytes long, not %d"
                            .formatted(id, before.length(), valid.chunkBytes()));
        }
        if (before == null || !before.valid().covers(valid)) {
            write(id, data, valid, elsewhere);
        }
    }

    private void write(
            ChunkId id, ByteBuffer data, ValidBlocks valid, @Nullable StoredChunk elsewhere) {
        long bytes = ChunkEntry.footprint(valid.chunkBytes());
        space.reserve(id, bytes);
        boolean published = false;
        try {
            for (int attempt = 1; !published; attempt++) {
                published = tryWrite(id, data, valid, elsewhere, attempt);
            }
        } finally {
            if (!published) {
                space.unreserve(bytes);
            }
        }
        counters.written.increment();
        counters.writtenBytes.add(bytes);
    }

    /**
     * Returns false if another attempt is worth it: the disk was full and something was evicted, or
     * the chunk was removed while it was written anew.
     */
    private boolean tryWrite(
            ChunkId id,
            ByteBuffer data,
            ValidBlocks valid,
            @Nullable StoredChunk elsewhere,
            int attempt) {
        Path file = files.incoming();
        ChunkEntry before = current(id);
        try (StoredChunk old = before == null ? null : open(before, 0, 0).orElse(null);
                ChunkWriter writer = new ChunkWriter(data, valid, old == null ? elsewhere : old)) {
            ChunkFooter footer = writer.write(file, id);
            counters.damaged.add(writer.damagedBlocks());
            if (failed) {
                // Who gave the data may have taken it back since, and be using it for another.
                throw leftAlone(id);
            }
            return space.publish(file, id, footer.valid(), old == null ? null : before);
        } catch (IOException e) {
            if (DiskFailure.of(e) != DiskFailure.FULL) {
                counters.diskErrors.increment();
                probe();
                throw new ForebayException(
                        ErrorCode.UNAVAILABLE, "the disk failed to store chunk " + id, e);
            }
            counters.diskFull.increment();
            // Others fill the disk too: then the store has less room than it was promised.
            if (attempt >= WRITE_ATTEMPTS || !space.evict(valid.chunkBytes())) {
                throw new ForebayException(
                        ErrorCode.CAPACITY_EXCEEDED, "the disk is full, no room for " + id, e);
            }
            return false;
        } finally {
            discard(file);
        }
    }

    private ForebayException leftAlone(ChunkId id) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "disk %s has failed and does not take chunk %s".formatted(directory, id));
    }

    /** Removes a file that was not published; one that was has not this name any more. */
    private void discard(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            counters.diskErrors.increment();
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
        return calls.call(() -> compare(id)).orElse(ChunkStore.Verdict.ABSENT);
    }

    private ChunkStore.Verdict compare(ChunkId id) {
        for (ChunkEntry entry = table.get(id); entry != null && !failed; entry = table.get(id)) {
            try (StoredChunk chunk = openFile(entry)) {
                chunk.verify();
                return ChunkStore.Verdict.INTACT;
            } catch (NoSuchFileException e) {
                gone(entry);
            } catch (IOException e) {
                failed(entry, e);
                return ChunkStore.Verdict.DROPPED;
            }
        }
        return ChunkStore.Verdict.ABSENT;
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
        return limits;
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
