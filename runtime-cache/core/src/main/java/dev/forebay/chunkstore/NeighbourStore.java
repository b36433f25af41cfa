package dev.forebay.chunkstore;

import dev.forebay.chunkstore.file.ChunkName;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.model.ChunkId;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Reads chunk files of a worker on the same machine, without asking the worker.
 *
 * <p>This is safe because a chunk file is never changed, only replaced or removed, and describes
 * its own content. Takes no lock and writes nothing. Safe for use by many threads.
 */
public final class NeighbourStore {

    private final List<ChunkFiles> directories;

    /**
     * @param directories the directories of the worker; they need not exist yet
     */
    public NeighbourStore(List<Path> directories) {
        this.directories = directories.stream().map(ChunkFiles::new).toList();
    }

    /**
     * Opens a chunk for reading, if its file is there and has a valid footer. The caller closes it.
     *
     * <p>Does not count as use: to the worker's eviction policy, a chunk that only neighbours read
     * is unused.
     */
    public Optional<StoredChunk> find(ChunkId id) {
        for (ChunkFiles files : directories) {
            for (ChunkName name : ChunkName.all(id.index())) {
                try {
                    return Optional.of(StoredChunk.open(files.path(id.pack(), name), id, name));
                } catch (NoSuchFileException e) {
                    // The file may have another name, or be in the next directory.
                } catch (IOException e) {
                    // The worker finds the damage itself, or from the reader that asks it for these
                    // bytes.
                }
            }
        }
        return Optional.empty();
    }
}
