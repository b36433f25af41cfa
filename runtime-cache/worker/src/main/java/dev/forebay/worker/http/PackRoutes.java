package dev.forebay.worker.http;

import dev.forebay.chunkstore.StoredChunk;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.Source;
import dev.forebay.transfer.WorkerProtocol;
import dev.forebay.worker.fill.ChunkAccess;
import dev.forebay.worker.retention.MountedVersions;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.concurrent.Callable;

/** Reads of packs, and fills of their chunks. */
final class PackRoutes {

    private final MountedVersions versions;
    private final ChunkAccess chunks;
    private final RequestObserver observer;

    PackRoutes(MountedVersions versions, ChunkAccess chunks, RequestObserver observer) {
        this.versions = versions;
        this.chunks = chunks;
        this.observer = observer;
    }

    /** {@code GET /v1/packs/{p}?manifest={m}}. */
    Callable<Answer> read(RoutingContext context) {
        PackId pack = Parameters.pack(context);
        Digest manifest = Parameters.manifestInQuery(context);
        RangeHeader range = Parameters.range(context);
        boolean onlyIfCached = Parameters.onlyIfCached(context);
        return () -> read(pack, manifest, range, onlyIfCached);
    }

    /** {@code PUT /v1/packs/{p}/chunks/{i}?manifest={m}}. */
    Callable<Answer> fill(RoutingContext context) {
        ChunkId chunk = new ChunkId(Parameters.pack(context), Parameters.chunkIndex(context));
        Digest manifest = Parameters.manifestInQuery(context);
        return () -> fill(chunk, manifest);
    }

    private Answer read(PackId pack, Digest manifest, RangeHeader range, boolean onlyIfCached) {
        try (MountedVersions.Use use = versions.use(manifest)) {
            long packBytes = use.packBytes(pack);
            if (range.from() >= packBytes) {
                throw Refusal.outside(range.toString(), packBytes);
            }
            ChunkId chunk = ChunkId.at(pack, range.from());
            int length = chunk.length(packBytes);
            int from = (int) (range.from() - chunk.start());
            int to = (int) Math.min(length - 1L, range.last() - chunk.start()) + 1;
            ChunkAccess.Version version = version(use);
            ChunkAccess.Present present =
                    onlyIfCached
                            ? new ChunkAccess.Present(
                                    chunks.cached(version, chunk, length, from, to)
                                            .orElseThrow(Refusal::miss),
                                    Source.CACHE)
                            : chunks.open(version, chunk, length, from, to);
            return bytes(present, chunk, packBytes, from, to);
        }
    }

    private Answer bytes(
            ChunkAccess.Present present, ChunkId chunk, long packBytes, int from, int to) {
        StoredChunk stored = present.chunk();
        try {
            Map<String, String> headers =
                    Map.of(
                            "Content-Type",
                            "application/octet-stream",
                            "Content-Range",
                            "bytes %d-%d/%d"
                                    .formatted(
                                            chunk.start() + from,
                                            chunk.start() + to - 1,
                                            packBytes),
                            WorkerProtocol.CRC_HEADER,
                            RangeChecksums.header(stored, from, to),
                            WorkerProtocol.SOURCE_HEADER,
                            present.source().wireName());
            observer.served(present.source(), to - from);
            return new Answer.FileBytes(206, headers, stored.channel(), from, to - from, stored);
        } catch (RuntimeException e) {
            stored.close();
            throw e;
        }
    }

    private Answer fill(ChunkId chunk, Digest manifest) {
        try (MountedVersions.Use use = versions.use(manifest)) {
            long packBytes = use.packBytes(chunk.pack());
            if (chunk.start() >= packBytes) {
                throw Refusal.invalid(
                        "index",
                        Integer.toString(chunk.index()),
                        "must be less than %d, the pack's number of chunks"
                                .formatted(Math.ceilDiv(packBytes, ChunkId.CHUNK_BYTES)));
            }
            FillAnswer answer = chunks.fill(version(use), chunk, chunk.length(packBytes));
            return new Answer.Json(
                    new JsonObject()
                            .put("liveBytes", answer.liveBytes())
                            .put("bytesFromLake", answer.bytesFromLake())
                            .put("bytesFromPeers", answer.bytesFromPeers()));
        }
    }

    private ChunkAccess.Version version(MountedVersions.Use use) {
        return new ChunkAccess.Version(
                use.digest(), use.manifest(), () -> versions.fillable(use.digest()));
    }
}
