package dev.forebay.chunkstore;

import dev.forebay.chunkstore.eviction.Sieve;
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
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of one worker, in one directory of bounded size.
 *
 * <p>A chunk file is written beside the others and renamed when complete; a process that is killed
 * at any instant leaves whole chunks and at most unfinished files, which the next start removes.
 * Nothing is flushed to the device: after a power failure a file may lack bytes, and as every block
 * has a checksum that its reader compares, it is then dropped and fetched again. Memory grows with
 * chunks, not with objects: about 200 bytes for each.
 *
 * <p>Safe for use by many threads. Calls do file I/O; do not make them on an event loop. Every
 * method that writes may throw {@link ForebayException} with {@code CAPACITY_EXCEEDED} or, when the
 * disk fails, {@code UNAVAILABLE}; the chunk is then as it was, or gone.
 */
public final class ChunkStore implements AutoCloseable {

    private static final int STRIPES = 64;
    private static final int WRITE_ATTEMPTS = 3;

    private final DirectoryLock directoryLock;
    private final ChunkFiles files;
    private final ChunkIndex index = new ChunkIndex();
    private final Counters counters = new Counters();
    private final Space space;
    private final Predicate<PackId> isProtected;
    // Of two writers of one chunk the second must see the first's blocks.
    private final ReentrantLock[] writers = new ReentrantLock[STRIPES];

    private ChunkStore(
            DirectoryLock directoryLock,
            ChunkFiles files,
            long capacityBytes,
            Predicate<PackId> isProtected)
            throws IOException {
        this.directoryLock = directoryLock;
        this.files = files;
        this.isProtected = isProtected;
        this.space = new Space(files, index, counters, capacityBytes, new Sieve<>(), isProtected);
        for (int i = 0; i < STRIPES; i++) {
            writers[i] = new ReentrantLock();
        }
        files.prepare();
        space.adopt(StoreScan.run(files, counters));
    }

    /**
     * Opens a store with the chunks that are there, and removes damaged and unfinished files.
     *
     * @param directory created if it is not there; nothing but {@code chunks}, {@code incoming} and
     *     {@code chunks.lock} in it is touched
     * @param capacityBytes what the chunk files together may occupy
     * @param isProtected whether chunks of a pack must not be evicted; asked at every eviction, so
     *     it must be quick and must not call the store
     * @throws ForebayException with {@code UNAVAILABLE} if another worker has the directory or it
     *     cannot be read
     */
    public static ChunkStore open(
            Path directory, long capacityBytes, Predicate<PackId> isProtected) {
        try {
            Files.createDirectories(directory);
            DirectoryLock lock = DirectoryLock.take(directory.resolve("chunks.lock"));
            try {
                return new ChunkStore(lock, new ChunkFiles(directory), capacityBytes, isProtected);
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "cannot open chunk store " + directory, e);
        }
    }

    /** Opens a chunk for reading and counts it as used. Close what is returned. */
    public Optional<StoredChunk> find(ChunkId id) {
        ChunkEntry entry = index.get(id);
        Optional<StoredChunk> chunk = entry == null ? Optional.empty() : open(entry);
        (chunk.isPresent() ? counters.hits : counters.misses).increment();
        return chunk;
    }

    private Optional<StoredChunk> open(ChunkEntry entry) {
        try {
            entry.ticket().touch();
            return Optional.of(StoredChunk.open(files.path(entry.id()), entry.id()));
        } catch (NoSuchFileException evicted) {
            space.remove(entry);
        } catch (IOException e) {
            failed(entry, e);
        }
        return Optional.empty();
    }

    private void failed(ChunkEntry entry, IOException e) {
        switch (DiskFailure.of(e)) {
            case DAMAGED -> counters.damaged.increment();
            case UNREADABLE -> counters.diskErrors.increment();
            case FULL, OTHER ->
                    throw new ForebayException(
                            ErrorCode.UNAVAILABLE, "cannot read chunk " + entry.id(), e);
        }
        space.remove(entry);
    }

    /**
     * Whether every byte of {@code [from, to)} of a chunk is here. Answers from memory and does not
     * count as use.
     */
    public boolean holds(ChunkId id, int from, int to) {
        ChunkEntry entry = index.get(id);
        return entry != null && to <= entry.valid().chunkBytes() && entry.valid().holds(from, to);
    }

    /**
     * Stores bytes of a chunk, together with those it has already.
     *
     * <p>Writes nothing if it has them all. Bytes that are not {@code valid} are not taken from
     * {@code data}.
     *
     * @param data as many bytes as the chunk is long; its position stays
     * @param valid which of them are what they should be
     */
    public void put(ChunkId id, ByteBuffer data, ValidBlocks valid) {
        if (data.remaining() != valid.chunkBytes()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%d bytes for chunk %s of %d"
                            .formatted(data.remaining(), id, valid.chunkBytes()));
        }
        ReentrantLock writer = writers[Math.floorMod(id.hashCode(), STRIPES)];
        writer.lock();
        try {
            ChunkEntry before = index.get(id);
            if (before != null && before.valid().chunkBytes() != valid.chunkBytes()) {
                throw new ForebayException(
                        ErrorCode.INVALID_ARGUMENT,
                        "chunk %s is %d bytes long, not %d"
                                .formatted(id, before.valid().chunkBytes(), valid.chunkBytes()));
            }
            if (before == null || !before.valid().covers(valid)) {
                write(id, data, valid, before);
            }
        } finally {
            writer.unlock();
        }
    }

    private void write(
            ChunkId id, ByteBuffer data, ValidBlocks valid, @Nullable ChunkEntry before) {
        long bytes = ChunkEntry.footprint(valid.chunkBytes());
        space.reserve(id, bytes);
        boolean published = false;
        try {
            for (int attempt = 1; !published; attempt++) {
                published = tryWrite(id, data, valid, before, attempt);
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
     * Returns false if the disk was full, something was evicted and another attempt is worth it.
     */
    private boolean tryWrite(
            ChunkId id,
            ByteBuffer data,
            ValidBlocks valid,
            @Nullable ChunkEntry before,
            int attempt) {
        Path file = files.incoming();
        try (StoredChunk old = before == null ? null : open(before).orElse(null)) {
            ChunkWriter writer = new ChunkWriter(data, valid, old);
            ChunkFooter footer = writer.write(file, id);
            counters.damaged.add(writer.damagedBlocks());
            space.publish(file, id, footer.valid());
            return true;
        } catch (IOException e) {
            if (DiskFailure.of(e) != DiskFailure.FULL) {
                counters.diskErrors.increment();
                throw new ForebayException(
                        ErrorCode.UNAVAILABLE, "the disk failed to store chunk " + id, e);
            }
            counters.diskFull.increment();
            // Others fill the disk too: then the store has less room than it was promised.
            if (attempt == WRITE_ATTEMPTS || !space.evict(valid.chunkBytes())) {
                throw new ForebayException(
                        ErrorCode.CAPACITY_EXCEEDED, "the disk is full, no room for " + id, e);
            }
            return false;
        } finally {
            discard(file);
        }
    }

    /** Removes a file that was not published; one that was has not this name any more. */
    private void discard(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            counters.diskErrors.increment();
        }
    }

    /** Removes a chunk, protected or not; does nothing if it is not here. */
    public Dropped drop(ChunkId id) {
        return space.remove(index.get(id));
    }

    /**
     * Removes all chunks of a pack.
     *
     * @throws ForebayException with {@code PINNED} if the pack is protected
     */
    public Dropped dropPack(PackId pack) {
        Dropped dropped = Dropped.NONE;
        for (ChunkEntry entry : index.chunks(pack)) {
            if (isProtected.test(pack)) {
                throw new ForebayException(
                        ErrorCode.PINNED, "pack " + pack + " is protected, nothing more dropped");
            }
            dropped = dropped.plus(space.remove(entry));
        }
        return dropped;
    }

    /** Reads a chunk from disk, compares all its checksums, and drops it if one is wrong. */
    public Verdict verify(ChunkId id) {
        ChunkEntry entry = index.get(id);
        if (entry == null) {
            return Verdict.ABSENT;
        }
        try (StoredChunk chunk = StoredChunk.open(files.path(id), id)) {
            chunk.verify();
            return Verdict.INTACT;
        } catch (NoSuchFileException evicted) {
            space.remove(entry);
            return Verdict.ABSENT;
        } catch (IOException e) {
            failed(entry, e);
            return Verdict.DROPPED;
        }
    }

    /** What {@link #verify} found. */
    public enum Verdict {
        /** Every checksum was right. */
        INTACT,
        /** It was damaged or could not be read, and is gone now. */
        DROPPED,
        /** It was not here. */
        ABSENT
    }

    /** The packs of which there are chunks, at this moment. */
    public List<PackId> packs() {
        return index.packs();
    }

    /** The chunks of a pack that are here, at this moment, in no order. */
    public List<ChunkId> chunks(PackId pack) {
        return index.chunks(pack).stream().map(ChunkEntry::id).toList();
    }

    /** Figures for metrics and status. */
    public ChunkStoreStats stats() {
        return counters.snapshot(space.capacity(), space.used(), index.size());
    }

    /** Lets another worker have the directory. Chunks that are open stay readable. */
    @Override
    public void close() {
        try {
            directoryLock.close();
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot unlock the chunk store", e);
        }
    }
}
