package dev.forebay.chunkstore;

import dev.forebay.model.ChunkId;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** Finds the chunks that earlier processes left, reading their footers in parallel. */
final class StoreScan {

    private static final int PARALLEL = 32;

    /** A sound chunk file, and when it was written. */
    record Found(ChunkId id, ValidBlocks valid, long writtenMillis) {}

    private final ChunkFiles files;
    private final Counters counters;
    private final Queue<Found> found = new ConcurrentLinkedQueue<>();

    private StoreScan(ChunkFiles files, Counters counters) {
        this.files = files;
        this.counters = counters;
    }

    /** Removes damaged files; returns the sound ones, oldest first. */
    static List<Found> run(ChunkFiles files, Counters counters) throws IOException {
        StoreScan scan = new StoreScan(files, counters);
        Semaphore room = new Semaphore(PARALLEL);
        try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            files.scan(
                    id -> {
                        room.acquireUninterruptibly();
                        readers.execute(
                                () -> {
                                    try {
                                        scan.examine(id);
                                    } finally {
                                        room.release();
                                    }
                                });
                    });
        }
        List<Found> sorted = new ArrayList<>(scan.found);
        sorted.sort(Comparator.comparingLong(Found::writtenMillis));
        return sorted;
    }

    private void examine(ChunkId id) {
        try (StoredChunk chunk = StoredChunk.open(files.path(id), id)) {
            long written = Files.getLastModifiedTime(chunk.path()).toMillis();
            found.add(new Found(id, chunk.valid(), written));
        } catch (DamagedChunkException e) {
            counters.damaged.increment();
            remove(id);
        } catch (IOException e) {
            counters.diskErrors.increment();
        }
    }

    private void remove(ChunkId id) {
        try {
            files.delete(id);
            files.deleteDirectoryIfEmpty(id.pack());
        } catch (IOException e) {
            counters.diskErrors.increment();
        }
    }
}
