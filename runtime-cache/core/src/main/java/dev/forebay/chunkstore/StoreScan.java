package dev.forebay.chunkstore;

import dev.forebay.chunkstore.file.ChunkName;
import dev.forebay.chunkstore.file.DamagedChunkException;
import dev.forebay.chunkstore.file.DiskFailure;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Finds the chunks that earlier processes left, by the names of their files. Reads the footer only
 * of a short chunk, the last of its pack. The first reader or the scrub finds any other damage.
 */
final class StoreScan {

    private final ChunkFiles files;
    private final Space space;
    private final DiskProbe probe;
    private final Counters counters;
    private final AtomicInteger unreadable = new AtomicInteger();

    private StoreScan(ChunkFiles files, Space space, DiskProbe probe, Counters counters) {
        this.files = files;
        this.space = space;
        this.probe = probe;
        this.counters = counters;
    }

    /** Adds all chunks on the disk to the table. Lists several packs at once. */
    static void run(ChunkFiles files, Space space, DiskProbe probe, Counters counters)
            throws IOException {
        StoreScan scan = new StoreScan(files, space, probe, counters);
        int threads = Runtime.getRuntime().availableProcessors();
        try (ExecutorService readers = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> scans =
                    files.packs().stream()
                            .<Future<?>>map(
                                    pack ->
                                            readers.submit(
                                                    () -> {
                                                        scan.adopt(pack);
                                                        return null;
                                                    }))
                            .toList();
            for (Future<?> each : scans) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("cannot list the chunks", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while listing the chunks", e);
        }
    }

    private void adopt(PackId pack) throws IOException {
        List<ChunkName> names = files.chunks(pack);
        for (ChunkName name : names) {
            ValidBlocks valid = valid(pack, name);
            ChunkName surplus =
                    valid == null ? name : space.adopt(new ChunkId(pack, name.index()), valid);
            if (surplus != null) {
                delete(pack, surplus);
            }
        }
        if (names.isEmpty()) {
            files.deleteDirectoryIfEmpty(pack);
        }
    }

    /**
     * Returns the valid blocks of a chunk, or {@link ChunkEntry#UNREAD} if they need not be known
     * yet. Returns null if the file is damaged, or cannot be read from a disk that otherwise works.
     */
    private @Nullable ValidBlocks valid(PackId pack, ChunkName name) throws IOException {
        if (!name.last()) {
            return name.complete() ? ValidBlocks.all(ChunkId.CHUNK_BYTES) : ChunkEntry.UNREAD;
        }
        ChunkId id = new ChunkId(pack, name.index());
        try (StoredChunk chunk = StoredChunk.open(files.path(pack, name), id, name)) {
            return chunk.valid();
        } catch (DamagedChunkException e) {
            counters.damaged.increment();
            return null;
        } catch (IOException e) {
            if (DiskFailure.of(e) != DiskFailure.UNREADABLE
                    || unreadable.incrementAndGet() > DiskHealth.MOST_UNREADABLE
                    || probe.failure().isPresent()) {
                throw e;
            }
            counters.diskErrors.increment();
            return null;
        }
    }

    private void delete(PackId pack, ChunkName name) {
        try {
            files.delete(pack, name);
        } catch (IOException e) {
            counters.diskErrors.increment();
        }
    }
}
