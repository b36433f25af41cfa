package dev.forebay.worker.http;

import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.Source;
import dev.forebay.transfer.VerifyAnswer;
import dev.forebay.transfer.WorkerProtocol;
import dev.forebay.worker.fill.ChunkAccess;
import dev.forebay.worker.retention.LastReads;
import dev.forebay.worker.retention.MountedVersions;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.function.ObjLongConsumer;

/** Serves reads of packs, and fills and verifications of their chunks. */
final class PackRoutes {

    /** Bounds open files: each part holds a file descriptor while it is sent. */
    private static final int MOST_OPEN_PARTS = 4_096;

    private final MountedVersions versions;
    private final ChunkAccess chunks;
    private final Semaphore openParts = new Semaphore(MOST_OPEN_PARTS);
    private final RequestQueue misses;
    private final LastReads lastReads;
    private final RequestObserver observer;
    private final ObjLongConsumer<Digest> served;

    /**
     * @param served receives the bytes sent to readers of a manifest, without those sent to workers
     */
    PackRoutes(
            MountedVersions versions,
            ChunkAccess chunks,
            RequestQueue misses,
            LastReads lastReads,
            RequestObserver observer,
            ObjLongConsumer<Digest> served) {
        this.versions = versions;
        this.chunks = chunks;
        this.misses = misses;
        this.lastReads = lastReads;
        this.observer = observer;
        this.served = served;
    }

    /**
     * @param copied whether another worker reads, to store its own copy
     */
    private record Read(
            PackId pack,
            Digest manifest,
            RangeHeader range,
            boolean onlyIfCached,
            boolean copied) {}

    /**
     * A range inside its chunk. {@code from} and {@code to} are relative to the start of the chunk.
     */
    private record Place(
            Digest manifest,
            ChunkId chunk,
            int length,
            int from,
            int to,
            long packBytes,
            boolean copied) {}

    /** Handles {@code GET /v1/packs/{p}?manifest={m}}. */
    Callable<WorkerResponse> read(RoutingContext context) {
        PackId pack = Parameters.pack(context);
        Digest manifest = Parameters.manifestInQuery(context);
        boolean onlyIfCached = Parameters.onlyIfCached(context);
        boolean copied = Parameters.isOfWorker(context);
        List<Read> reads =
                Parameters.ranges(context).stream()
                        .map(range -> new Read(pack, manifest, range, onlyIfCached, copied))
                        .toList();
        Callable<WorkerResponse> answer =
                reads.size() == 1 ? () -> readCached(reads.getFirst()) : () -> readMany(reads);
        Callable<WorkerResponse> noted = copied ? answer : noting(manifest, answer);
        return () -> {
            if (versions.atHand(manifest)) {
                return noted.call();
            }
            if (onlyIfCached && reads.stream().noneMatch(this::hasSome)) {
                // Nothing of the chunk is here: a miss needs no manifest, which might have to be
                // fetched. Other workers send such requests while a reader waits for them.
                throw Refusal.miss();
            }
            return new WorkerResponse.Later(misses, noted);
        };
    }

    private boolean hasSome(Read read) {
        return chunks.hasSome(ChunkId.at(read.pack(), read.range().from()));
    }

    /** Records a read. One that is refused at once does not count. */
    private Callable<WorkerResponse> noting(Digest manifest, Callable<WorkerResponse> read) {
        return () -> {
            WorkerResponse answer = read.call();
            lastReads.note(manifest);
            return answer;
        };
    }

    /**
     * Returns the present bytes of several ranges. A client requests each missing range separately.
     */
    private WorkerResponse readMany(List<Read> reads) {
        List<WorkerResponse.FileBytes> parts = new ArrayList<>();
        List<String> absent = new ArrayList<>();
        try (MountedVersions.Use use = versions.use(reads.getFirst().manifest())) {
            for (Read read : reads) {
                part(read, use)
                        .ifPresentOrElse(parts::add, () -> absent.add(read.range().interval()));
            }
        } catch (RuntimeException e) {
            FileSender.release(parts);
            throw e;
        }
        if (parts.isEmpty()) {
            throw Refusal.miss();
        }
        return new WorkerResponse.Parts(
                absent.isEmpty()
                        ? Map.of()
                        : Map.of(WorkerProtocol.ABSENT_HEADER, String.join(", ", absent)),
                parts);
    }

    private Optional<WorkerResponse.FileBytes> part(Read read, MountedVersions.Use use) {
        if (read.range().from() >= use.packBytes(read.pack()) || !openParts.tryAcquire()) {
            return Optional.empty();
        }
        boolean given = false;
        try {
            Place place = place(read, use);
            Optional<StoredChunk> stored =
                    chunks.cached(version(use), place.chunk, place.length, place.from, place.to);
            if (stored.isEmpty()) {
                return Optional.empty();
            }
            WorkerResponse.FileBytes bytes =
                    bytes(new ChunkAccess.Present(stored.get(), Source.CACHE), place);
            given = true;
            AutoCloseable owner =
                    () -> {
                        openParts.release();
                        bytes.owner().close();
                    };
            return Optional.of(
                    new WorkerResponse.FileBytes(
                            206,
                            bytes.headers(),
                            bytes.file(),
                            bytes.offset(),
                            bytes.length(),
                            owner));
        } catch (ForebayException e) {
            // Reported as absent: the client gets the error when it requests this range alone.
            return Optional.empty();
        } finally {
            if (!given) {
                openParts.release();
            }
        }
    }

    /**
     * Handles {@code PUT /v1/packs/{p}/chunks/{i}?manifest={m}}, optionally with {@code
     * &ahead=true}.
     */
    Callable<WorkerResponse> fill(RoutingContext context) {
        ChunkId chunk = new ChunkId(Parameters.pack(context), Parameters.chunkIndex(context));
        Digest manifest = Parameters.manifestInQuery(context);
        boolean ahead = Parameters.isAhead(context);
        return () -> fill(chunk, manifest, ahead);
    }

    /** Handles {@code POST /v1/packs/{p}/chunks/{i}/verify?manifest={m}}. */
    Callable<WorkerResponse> verify(RoutingContext context) {
        ChunkId chunk = new ChunkId(Parameters.pack(context), Parameters.chunkIndex(context));
        Digest manifest = Parameters.manifestInQuery(context);
        return () -> verify(chunk, manifest);
    }

    private WorkerResponse readCached(Read read) {
        try (MountedVersions.Use use = versions.use(read.manifest())) {
            Place place = place(read, use);
            Optional<StoredChunk> stored =
                    chunks.cached(version(use), place.chunk, place.length, place.from, place.to);
            if (stored.isEmpty()) {
                if (read.onlyIfCached) {
                    throw Refusal.miss();
                }
                return new WorkerResponse.Later(misses, () -> readFilled(read));
            }
            return bytes(new ChunkAccess.Present(stored.get(), Source.CACHE), place);
        } catch (ForebayException e) {
            if (e.code() != ErrorCode.CORRUPT) {
                throw e;
            }
            return new WorkerResponse.Later(misses, () -> readMended(read));
        }
    }

    private WorkerResponse readFilled(Read read) {
        try (MountedVersions.Use use = versions.use(read.manifest())) {
            Place place = place(read, use);
            return bytes(
                    chunks.open(version(use), place.chunk, place.length, place.from, place.to),
                    place);
        }
    }

    /**
     * Repairs damage that was found before the first byte was sent, so that the reader gets no
     * error.
     */
    private WorkerResponse readMended(Read read) {
        chunks.dropIfDamaged(ChunkId.at(read.pack(), read.range().from()));
        if (read.onlyIfCached) {
            throw Refusal.miss();
        }
        return readFilled(read);
    }

    private static Place place(Read read, MountedVersions.Use use) {
        RangeHeader range = read.range();
        long packBytes = use.packBytes(read.pack());
        if (range.from() >= packBytes) {
            throw Refusal.outside(range.toString(), packBytes);
        }
        ChunkId chunk = ChunkId.at(read.pack(), range.from());
        int length = chunk.length(packBytes);
        int from = (int) (range.from() - chunk.start());
        int to = (int) Math.min(length - 1L, range.last() - chunk.start()) + 1;
        return new Place(read.manifest(), chunk, length, from, to, packBytes, read.copied());
    }

    private WorkerResponse.FileBytes bytes(ChunkAccess.Present present, Place place) {
        StoredChunk stored = present.chunk();
        int from = place.from();
        int to = place.to();
        long start = place.chunk().start();
        try {
            Map<String, String> headers =
                    Map.of(
                            "Content-Type",
                            "application/octet-stream",
                            "Content-Range",
                            "bytes %d-%d/%d"
                                    .formatted(start + from, start + to - 1, place.packBytes()),
                            WorkerProtocol.CRC_HEADER,
                            RangeChecksums.header(stored, from, to),
                            WorkerProtocol.SOURCE_HEADER,
                            present.source().wireName());
            observer.served(present.source(), to - from);
            if (!place.copied()) {
                served.accept(place.manifest(), to - from);
            }
            return new WorkerResponse.FileBytes(
                    206, headers, stored.channel(), from, to - from, stored);
        } catch (RuntimeException e) {
            stored.close();
            throw e;
        }
    }

    private WorkerResponse fill(ChunkId chunk, Digest manifest, boolean ahead) {
        try (MountedVersions.Use use = versions.use(manifest)) {
            int length = length(chunk, use);
            FillAnswer answer =
                    ahead
                            ? chunks.fillAhead(version(use), chunk, length)
                            : chunks.fill(version(use), chunk, length);
            return new WorkerResponse.Json(
                    new JsonObject()
                            .put("liveBytes", answer.liveBytes())
                            .put("bytesFromLake", answer.bytesFromLake())
                            .put("bytesFromPeers", answer.bytesFromPeers())
                            .put("bytesFromSiblings", answer.bytesFromSiblings()));
        }
    }

    private WorkerResponse verify(ChunkId chunk, Digest manifest) {
        try (MountedVersions.Use use = versions.use(manifest)) {
            VerifyAnswer.Verdict verdict = chunks.verify(version(use), chunk, length(chunk, use));
            return new WorkerResponse.Json(new JsonObject().put("verdict", verdict.name()));
        }
    }

    private static int length(ChunkId chunk, MountedVersions.Use use) {
        long packBytes = use.packBytes(chunk.pack());
        if (chunk.start() >= packBytes) {
            throw Refusal.invalid(
                    "index",
                    Integer.toString(chunk.index()),
                    "must be less than %d, the pack's number of chunks"
                            .formatted(Math.ceilDiv(packBytes, ChunkId.CHUNK_BYTES)));
        }
        return chunk.length(packBytes);
    }

    private ChunkAccess.Version version(MountedVersions.Use use) {
        return new ChunkAccess.Version(
                use.digest(), use.manifest(), () -> versions.fillable(use.digest()));
    }
}
