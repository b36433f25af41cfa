package dev.forebay.agent.workers;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.ChunkTotals;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.Segment;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * A version of one pack of full chunks. Each chunk has the ends of {@link #FILES} files, the first
 * of which began in the chunk before.
 */
public record FakeManifest(long chunkCount) implements Manifest {

    /** Files that end in a chunk. */
    public static final int FILES = 3;

    private static final long SIZE = ChunkId.CHUNK_BYTES / FILES;

    public static final PackId PACK = PackId.parse("cd".repeat(32));

    @Override
    public String bucket() {
        return "lake";
    }

    @Override
    public long objects() {
        return 1;
    }

    @Override
    public long bytes() {
        return chunkCount * ChunkId.CHUNK_BYTES;
    }

    @Override
    public List<Pack> packs() {
        return List.of(new Pack(PACK, bytes()));
    }

    @Override
    public Optional<Node> lookup(long parentId, String name) {
        return Optional.empty();
    }

    @Override
    public Optional<Node> node(long id) {
        return Optional.empty();
    }

    @Override
    public List<Node> readdir(long parentId, String afterName, int limit) {
        return List.of();
    }

    @Override
    public List<Segment> segments(PackId pack, long from, long to) {
        // The first file began in the chunk before, and the last one ends in the next chunk.
        return LongStream.rangeClosed(0, FILES)
                .mapToObj(
                        i ->
                                new Segment(
                                        from - 10 + i * SIZE,
                                        new LakeObject(
                                                "k" + from + i, SIZE, Instant.EPOCH, "e", null)))
                .toList();
    }

    @Override
    public List<Segment> segments(ChunkId chunk) {
        return segments(chunk.pack(), chunk.start(), chunk.start() + ChunkId.CHUNK_BYTES);
    }

    @Override
    public ChunkTotals tally(PackId pack, long from, long to) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<ChunkRef> chunks(long fromOrdinal, int limit) {
        return LongStream.range(fromOrdinal, Math.min(chunkCount, fromOrdinal + limit))
                .mapToObj(
                        ordinal ->
                                new ChunkRef(
                                        ordinal,
                                        new ChunkId(PACK, (int) ordinal),
                                        ChunkId.CHUNK_BYTES,
                                        ChunkId.CHUNK_BYTES))
                .toList();
    }

    @Override
    public void close() {}
}
