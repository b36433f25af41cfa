package dev.forebay.worker.fill;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.ChunkTotals;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.Segment;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A version whose objects are in one pack, and their bytes in a {@link FakeLake}. */
final class OnePack implements Manifest {

    static final PackId PACK = PackId.parse("ab".repeat(32));

    private final List<Segment> segments = new ArrayList<>();
    private final Digest digest;
    private long end;

    OnePack(String digestHex) {
        this.digest = new Digest(digestHex.repeat(64));
    }

    /** Appends an object of random bytes and puts it into the lake. */
    OnePack with(FakeLake lake, String key, int size) {
        byte[] bytes = new byte[size];
        new Random(key.hashCode()).nextBytes(bytes);
        lake.put(key, bytes);
        return with(key, size);
    }

    /** Appends an object. */
    OnePack with(String key, int size) {
        segments.add(
                new Segment(end, new LakeObject(key, size, Instant.EPOCH, "etag-" + key, null)));
        end += Math.ceilDiv(size, ChunkId.ALIGNMENT_BYTES) * (long) ChunkId.ALIGNMENT_BYTES;
        return this;
    }

    /** Leaves a gap where another version has objects. */
    OnePack gap(int size) {
        end += size;
        return this;
    }

    Digest digest() {
        return digest;
    }

    long packBytes() {
        return end;
    }

    ChunkAccess.Version version() {
        return new ChunkAccess.Version(digest, this, () -> true);
    }

    ChunkId chunk(int index) {
        return new ChunkId(PACK, index);
    }

    int length(int index) {
        return chunk(index).length(end);
    }

    Segment segment(String key) {
        return segments.stream().filter(each -> each.key().equals(key)).findFirst().orElseThrow();
    }

    @Override
    public List<Segment> segments(PackId pack, long from, long to) {
        return segments.stream()
                .filter(each -> each.packOffset() < to && from < each.packOffset() + each.size())
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
    public String bucket() {
        return "bucket";
    }

    @Override
    public long objects() {
        return segments.size();
    }

    @Override
    public long bytes() {
        return segments.stream().mapToLong(Segment::size).sum();
    }

    @Override
    public long chunkCount() {
        return Math.ceilDiv(end, ChunkId.CHUNK_BYTES);
    }

    @Override
    public List<Pack> packs() {
        return List.of(new Pack(PACK, end));
    }

    @Override
    public Optional<Node> lookup(long parentId, String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Node> node(long id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Node> readdir(long parentId, String afterName, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<ChunkRef> chunks(long fromOrdinal, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
