package dev.forebay.fuse.read;

import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reads chunks from the files of a worker on the same node, and everything else from another
 * source. Thread-safe.
 */
public final class LocalChunks implements PackSource {

    private final NeighbourStore store;
    private final PackSource otherwise;
    private final LongAdder readBytes = new LongAdder();

    public LocalChunks(NeighbourStore store, PackSource otherwise) {
        this.store = store;
        this.otherwise = otherwise;
    }

    @Override
    public void read(Digest manifest, PackId pack, long from, long to, ByteBuffer target) {
        for (long at = from; at < to; ) {
            ChunkId chunk = ChunkId.at(pack, at);
            int length = (int) (Math.min(to, chunk.start() + ChunkId.CHUNK_BYTES) - at);
            ByteBuffer part = target.slice(target.position(), length);
            if (!readHere(chunk, at, part)) {
                otherwise.read(manifest, pack, at, at + length, part.clear());
            }
            target.position(target.position() + length);
            at += length;
        }
    }

    /**
     * Fills {@code target} with verified bytes of one chunk if all of them are on this node.
     *
     * @param from the first byte in the pack
     * @return false if they are not; the target's content is then undefined
     */
    public boolean readHere(ChunkId id, long from, ByteBuffer target) {
        try (StoredChunk chunk = open(id, from, from + target.remaining()).orElse(null)) {
            return chunk != null && read(chunk, from, target);
        }
    }

    /** Returns the file of a chunk if it holds this range of the pack. The caller closes it. */
    public Optional<StoredChunk> open(ChunkId id, long from, long to) {
        Optional<StoredChunk> found = store.find(id);
        boolean holds =
                found.isPresent()
                        && to - id.start() <= found.get().length()
                        && found.get().holds((int) (from - id.start()), (int) (to - id.start()));
        if (!holds) {
            found.ifPresent(StoredChunk::close);
            return Optional.empty();
        }
        return found;
    }

    /**
     * Fills {@code target} from a chunk's file. Returns false if a checksum is wrong or the disk
     * fails; the target's content is then undefined.
     */
    public boolean read(StoredChunk chunk, long from, ByteBuffer target) {
        int bytes = target.remaining();
        try {
            chunk.readVerified((int) (from - chunk.id().start()), target);
        } catch (ForebayException e) {
            if (e.code() != ErrorCode.CORRUPT && e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            return false;
        }
        readBytes.add(bytes);
        return true;
    }

    /** Returns the number of bytes read from the files of this node's worker. */
    public long readBytes() {
        return readBytes.sum();
    }
}
