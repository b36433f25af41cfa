package dev.forebay.manifest.cache;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.ChunkTotals;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.Segment;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A reference of one user to a shared manifest. Closing it releases the reference, and not the
 * manifest.
 */
record OpenManifest(Manifest shared, Path file, AtomicBoolean closed, Runnable release)
        implements CachedManifest {

    @Override
    public String bucket() {
        return shared.bucket();
    }

    @Override
    public long objects() {
        return shared.objects();
    }

    @Override
    public long bytes() {
        return shared.bytes();
    }

    @Override
    public long chunkCount() {
        return shared.chunkCount();
    }

    @Override
    public List<Pack> packs() {
        return shared.packs();
    }

    @Override
    public Optional<Node> lookup(long parentId, String name) {
        return shared.lookup(parentId, name);
    }

    @Override
    public Optional<Node> node(long id) {
        return shared.node(id);
    }

    @Override
    public List<Node> readdir(long parentId, String afterName, int limit) {
        return shared.readdir(parentId, afterName, limit);
    }

    @Override
    public List<Segment> segments(PackId pack, long from, long to) {
        return shared.segments(pack, from, to);
    }

    @Override
    public List<Segment> segments(ChunkId chunk) {
        return shared.segments(chunk);
    }

    @Override
    public ChunkTotals tally(PackId pack, long from, long to) {
        return shared.tally(pack, from, to);
    }

    @Override
    public List<ChunkRef> chunks(long fromOrdinal, int limit) {
        return shared.chunks(fromOrdinal, limit);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            release.run();
        }
    }
}
