package dev.forebay.chunkstore;

import dev.forebay.chunkstore.file.ChunkFooter;
import dev.forebay.chunkstore.file.DiskFailure;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Writes chunks to one disk, after reserving space for them.
 *
 * <p>Every method waits for the disk. Safe for use by many threads, but the caller serializes the
 * writes of each chunk.
 */
final class DiskWrites {

    private static final int ATTEMPTS = 3;

    private final Path directory;
    private final ChunkFiles files;
    private final DiskReads reads;
    private final Space space;
    private final DiskHealth health;
    private final Counters counters;

    DiskWrites(
            Path directory,
            ChunkFiles files,
            DiskReads reads,
            Space space,
            DiskHealth health,
            Counters counters) {
        this.directory = directory;
        this.files = files;
        this.reads = reads;
        this.space = space;
        this.health = health;
        this.counters = counters;
    }

    /**
     * Stores bytes as {@link ChunkStore#put} does.
     *
     * @param otherCopy the chunk on another disk, whose bytes are copied
     */
    void store(ChunkId id, ByteBuffer data, ValidBlocks valid, @Nullable StoredChunk otherCopy) {
        ChunkEntry before = reads.current(id);
        if (before != null && before.length() != valid.chunkBytes()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "chunk %s is %d bytes long, not %d"
                            .formatted(id, before.length(), valid.chunkBytes()));
        }
        if (before == null || !before.valid().covers(valid)) {
            write(id, data, valid, otherCopy);
        }
    }

    private void write(
            ChunkId id, ByteBuffer data, ValidBlocks valid, @Nullable StoredChunk otherCopy) {
        long bytes = ChunkEntry.footprint(valid.chunkBytes());
        space.reserve(id, bytes);
        boolean published = false;
        try {
            for (int attempt = 1; !published; attempt++) {
                published = tryWrite(id, data, valid, otherCopy, attempt);
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
     * Returns false if another attempt makes sense: the disk was full and a chunk was evicted, or
     * the chunk was removed during the write.
     */
    private boolean tryWrite(
            ChunkId id,
            ByteBuffer data,
            ValidBlocks valid,
            @Nullable StoredChunk otherCopy,
            int attempt) {
        Path file = files.incoming();
        ChunkEntry before = reads.current(id);
        try (StoredChunk old = before == null ? null : reads.open(before, 0, 0).orElse(null);
                ChunkWriter writer = new ChunkWriter(data, valid, old == null ? otherCopy : old)) {
            ChunkFooter footer = writer.write(file, id);
            counters.damaged.add(writer.damagedBlocks());
            if (health.hasFailed()) {
                // The caller returned when the disk was given up. It may use the buffer for other
                // data by now.
                throw rested(id);
            }
            return space.publish(file, id, footer.valid(), old == null ? null : before);
        } catch (IOException e) {
            if (DiskFailure.of(e) != DiskFailure.FULL) {
                health.erred();
                throw new ForebayException(
                        ErrorCode.UNAVAILABLE,
                        "disk %s cannot store chunk %s (%s): replace it if this repeats"
                                .formatted(directory, id, e),
                        e);
            }
            counters.diskFull.increment();
            // Other programs use the disk too, so it may be full below the limit of the store.
            if (attempt >= ATTEMPTS || !space.evict(valid.chunkBytes())) {
                throw new ForebayException(
                        ErrorCode.CAPACITY_EXCEEDED,
                        "disk %s is full, no space for chunk %s: free space, or lower forebay.worker.capacity"
                                .formatted(directory, id),
                        e);
            }
            return false;
        } finally {
            discard(file);
        }
    }

    ForebayException rested(ChunkId id) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "disk %s has failed and does not take chunk %s".formatted(directory, id));
    }

    /** Removes a file that was not published. A published file no longer has this name. */
    private void discard(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            counters.diskErrors.increment();
        }
    }
}
