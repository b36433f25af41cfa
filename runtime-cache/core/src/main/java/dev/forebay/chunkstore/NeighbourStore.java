package dev.forebay.chunkstore;

import dev.forebay.model.ChunkId;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Chunks in the store of a worker on the same machine, read beside it.
 *
 * <p>Needs no word with the worker: a chunk's file is never changed, only replaced or removed, and
 * says itself what it holds. Takes no lock and writes nothing. Safe for use by many threads.
 */
public final class NeighbourStore {

    private final List<ChunkFiles> directories;

    /**
     * @param directories those of the worker; they need not be there yet
     */
    public NeighbourStore(List<Path> directories) {
        this.directories = directories.stream().map(ChunkFiles::new).toList();
    }

    /**
     * Opens a chunk for reading, if it is there and its footer is sound. Close what is returned.
     *
     * <p>Does not count as use: what only neighbours read is old to the worker.
     */
    public Optional<StoredChunk> find(ChunkId id) {
        for (ChunkFiles files : directories) {
            for (ChunkName name : ChunkName.all(id.index())) {
                try {
                    return Optional.of(StoredChunk.open(files.path(id.pack(), name), id, name));
                } catch (NoSuchFileException e) {
                    // Perhaps it has another name, or is in the next.
                } catch (IOException e) {
                    // The worker finds out by itself, or is told by whoever asks it for these
                    // bytes.
                }
            }
        }
        return Optional.empty();
    }
}
