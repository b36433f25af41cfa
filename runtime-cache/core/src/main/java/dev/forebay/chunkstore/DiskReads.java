package dev.forebay.chunkstore;

import dev.forebay.chunkstore.eviction.TinyLfu;
import dev.forebay.chunkstore.file.DiskFailure;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.linux.DiskFile;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Opens the chunks of one disk. Removes a chunk that is damaged or gone, and reports it as absent.
 * Reports errors of the disk to its {@link DiskHealth}.
 *
 * <p>Every method waits for the disk. Safe for use by many threads.
 */
final class DiskReads {

    private final ChunkFiles files;
    private final ChunkTable table;
    private final TinyLfu policy;
    private final Space space;
    private final DiskHealth health;
    private final Counters counters;

    DiskReads(
            ChunkFiles files,
            ChunkTable table,
            TinyLfu policy,
            Space space,
            DiskHealth health,
            Counters counters) {
        this.files = files;
        this.table = table;
        this.policy = policy;
        this.space = space;
        this.health = health;
        this.counters = counters;
    }

    /** Opens a chunk as {@link ChunkStore#find(ChunkId, int, int)} does. */
    Optional<StoredChunk> open(ChunkId id, int from, int to) {
        Optional<StoredChunk> chunk = Optional.empty();
        // A chunk whose file is gone may just have got a file of another name.
        for (ChunkEntry entry = table.get(id);
                entry != null && chunk.isEmpty() && !health.hasFailed();
                entry = table.get(id)) {
            policy.touch(entry.slot());
            chunk = open(entry, from, to);
        }
        return chunk;
    }

    Optional<StoredChunk> open(ChunkEntry entry, int from, int to) {
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
            boolean _ = gone(entry);
        } catch (IOException e) {
            failed(entry, e);
        }
        return Optional.empty();
    }

    private StoredChunk openFile(ChunkEntry entry) throws IOException {
        return StoredChunk.open(
                files.path(entry.id().pack(), entry.name()), entry.id(), entry.name());
    }

    /**
     * Removes an entry whose file is gone. An eviction or a write may have removed the file
     * meanwhile, or it is lost. Returns whether it is lost: the entry was still current.
     */
    private boolean gone(ChunkEntry entry) {
        boolean lost = !space.remove(entry).equals(Dropped.NONE);
        if (lost) {
            health.suspect();
        }
        return lost;
    }

    private void failed(ChunkEntry entry, IOException e) {
        DiskFailure failure = DiskFailure.of(e);
        switch (failure) {
            case DAMAGED -> {}
            case UNREADABLE -> health.lostChunk(e);
            case FULL, OTHER ->
                    throw new ForebayException(
                            ErrorCode.UNAVAILABLE, "cannot read chunk " + entry.id(), e);
        }
        // Several threads may find the same damage. The one that removes the chunk counts it.
        if (!health.hasFailed()
                && space.remove(entry).chunks() > 0
                && failure == DiskFailure.DAMAGED) {
            counters.damaged.increment();
        }
    }

    /** Reads the footer of a chunk if its valid blocks are not known yet. */
    private @Nullable ChunkEntry read(@Nullable ChunkEntry entry) {
        if (entry == null || !entry.unread()) {
            return entry;
        }
        try (StoredChunk chunk = open(entry, 0, 0).orElse(null)) {
            return chunk == null ? null : table.read(entry, chunk.valid());
        }
    }

    /** Returns the entry of a chunk with its valid blocks known, or null if the chunk is absent. */
    @Nullable ChunkEntry current(ChunkId id) {
        return read(table.get(id));
    }

    /**
     * Checks the checksums of a chunk against the bytes on the disk, not against the page cache.
     */
    ChunkStore.Verdict compare(ChunkId id) {
        for (ChunkEntry entry = table.get(id);
                entry != null && !health.hasFailed();
                entry = table.get(id)) {
            try (StoredChunk chunk = openFile(entry)) {
                forget(chunk.path());
                chunk.verify();
                return ChunkStore.Verdict.INTACT;
            } catch (NoSuchFileException e) {
                // A failed disk has no chunks any more, so the chunk is absent.
                if (gone(entry) && !health.hasFailed()) {
                    return ChunkStore.Verdict.DROPPED;
                }
            } catch (IOException e) {
                failed(entry, e);
                return ChunkStore.Verdict.DROPPED;
            }
        }
        return ChunkStore.Verdict.ABSENT;
    }

    /**
     * Drops a file from the page cache. Otherwise a chunk that readers use often would never be
     * read from the disk. Reading it caches it again.
     */
    private static void forget(Path path) throws IOException {
        try (DiskFile file = DiskFile.openToRead(path)) {
            file.forget(0, DiskFile.TO_THE_END);
        } catch (SystemCallException e) {
            if (e.errno() == ErrorNumber.ENOENT) {
                throw new NoSuchFileException(path.toString());
            }
            throw e;
        }
    }
}
