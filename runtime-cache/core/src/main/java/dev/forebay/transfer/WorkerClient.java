package dev.forebay.transfer;

import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.placement.WorkerNode;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes typed calls of the worker protocol ({@link WorkerProtocol}).
 *
 * <p>Calls block, so use them on virtual threads. Safe for use by many threads; one per process.
 * Every call throws {@link ForebayException} with the code of the worker's refusal. The code is
 * {@code UNAVAILABLE} if there is no valid answer within the timeout, or {@code CORRUPT} if the
 * bytes fail verification. No call retries.
 */
public final class WorkerClient implements AutoCloseable {

    private final WorkerClientConfig config;
    private final Exchanges exchanges;

    /**
     * Separate from other requests, because fills take minutes and queries must not wait for their
     * permits.
     */
    private final Exchanges fills;

    public WorkerClient(WorkerClientConfig config) {
        this.config = config;
        this.exchanges = new Exchanges(config);
        this.fills = new Exchanges(config);
    }

    /**
     * Reads bytes {@code [from, to)} of a pack into {@code target} from its position on, and moves
     * the position behind them. Reads fewer bytes if the worker ends earlier.
     *
     * <p>All bytes before the new position have been compared with the worker's checksums. On
     * failure the position stays, and the bytes behind it are undefined.
     *
     * <p>A range between two multiples of 64 KiB, or to the chunk's end, costs the worker least,
     * because it has the checksums of such a range.
     *
     * @param to at most the end of the chunk that {@code from} is in
     */
    public ReadAnswer read(
            WorkerNode worker,
            Digest manifest,
            PackId pack,
            long from,
            long to,
            ByteBuffer target) {
        return read(worker, manifest, pack, from, to, target, config.readTimeout());
    }

    /** Reads as {@link #read} does, with another timeout. */
    public ReadAnswer read(
            WorkerNode worker,
            Digest manifest,
            PackId pack,
            long from,
            long to,
            ByteBuffer target,
            Duration timeout) {
        return new RangeRequest(worker, manifest, pack, new ByteRange(from, to), false)
                .send(exchanges, target, timeout, timeout)
                .orElseThrow();
    }

    /** Begins a read that the caller watches. */
    RangeRequest.Pending begin(RangeRequest request, ByteBuffer target, Duration timeout) {
        return request.begin(exchanges, target, timeout);
    }

    /** Checks whether a worker answers at all within this time. The future never fails. */
    CompletableFuture<Boolean> answers(WorkerNode worker, Duration timeout) {
        return exchanges.answers(worker, timeout);
    }

    /**
     * Reads as {@link #read} does, but returns empty if the worker would have to fetch the bytes
     * first.
     */
    public Optional<ReadAnswer> readIfCached(
            WorkerNode worker,
            Digest manifest,
            PackId pack,
            long from,
            long to,
            ByteBuffer target) {
        return new RangeRequest(worker, manifest, pack, new ByteRange(from, to), true)
                .send(exchanges, target, config.readTimeout(), config.firstByteTimeout());
    }

    /** Fills a chunk on a worker, so that it is complete for this manifest. */
    public FillAnswer fill(WorkerNode worker, Digest manifest, ChunkId chunk) {
        return fill(worker, WorkerProtocol.fill(chunk, manifest));
    }

    /**
     * Fills a chunk as {@link #fill} does, and marks it as read ahead: a reader is about to need
     * it.
     */
    public FillAnswer fillAhead(WorkerNode worker, Digest manifest, ChunkId chunk) {
        return fill(worker, WorkerProtocol.fillAhead(chunk, manifest));
    }

    private FillAnswer fill(WorkerNode worker, String path) {
        HttpRequest request =
                fills.request(worker, path).PUT(HttpRequest.BodyPublishers.noBody()).build();
        return json(fills, worker, request, FillAnswer.class, config.fillTimeout());
    }

    /** Makes a worker check a chunk's checksums, and fill the chunk again if one is wrong. */
    public VerifyAnswer verify(WorkerNode worker, Digest manifest, ChunkId chunk) {
        HttpRequest request =
                exchanges
                        .request(worker, WorkerProtocol.verify(chunk, manifest))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build();
        return json(worker, request, VerifyAnswer.class, config.fillTimeout());
    }

    /** Returns the coverage of a manifest on a worker. */
    public Coverage coverage(WorkerNode worker, Digest manifest) {
        HttpRequest request =
                exchanges.request(worker, WorkerProtocol.coverage(manifest)).GET().build();
        CoverageBody body = json(worker, request, CoverageBody.class, config.queryTimeout());
        try {
            return body.decode();
        } catch (IllegalArgumentException | ForebayException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "worker %s sent an inconsistent coverage".formatted(worker.id()),
                    e);
        }
    }

    /**
     * Drops the chunks of a manifest that no other mounted version needs.
     *
     * @throws ForebayException {@code PINNED} if the worker knows a live pin on it
     */
    public DropAnswer drop(WorkerNode worker, Digest manifest) {
        HttpRequest request =
                exchanges.request(worker, WorkerProtocol.chunksOf(manifest)).DELETE().build();
        return json(worker, request, DropAnswer.class, config.dropTimeout());
    }

    /**
     * Downloads a manifest to {@code file}, which is overwritten.
     *
     * @throws ForebayException {@code CORRUPT} if the bytes do not have this digest; there is no
     *     file then
     */
    void manifest(Digest manifest, Path file, WatchedDownload watched) {
        VerifiedDownload.to(
                file,
                "manifest",
                partial -> {
                    download(WorkerProtocol.manifest(manifest), partial, watched);
                    return manifest;
                });
    }

    /**
     * Downloads the image of a mounted version to {@code file}, which is overwritten. The worker
     * writes the image first if it does not have it.
     *
     * @return the image's SHA-256
     * @throws ForebayException {@code CORRUPT} if the bytes do not have the digest that the worker
     *     sent; there is no file then
     */
    Digest image(DatasetVersion version, Digest manifest, Path file, WatchedDownload watched) {
        return VerifiedDownload.to(
                file,
                "image",
                partial ->
                        download(WorkerProtocol.image(version, manifest), partial, watched)
                                .headers()
                                .firstValue(ReprDigest.HEADER)
                                .flatMap(ReprDigest::parse)
                                .orElseThrow(
                                        () ->
                                                new ForebayException(
                                                        ErrorCode.UNAVAILABLE,
                                                        "worker %s sent an image without a digest"
                                                                .formatted(
                                                                        watched.worker().id()))));
    }

    /**
     * @throws IOException if the file cannot be written
     */
    private HttpResponse<byte[]> download(String path, Path file, WatchedDownload watched)
            throws IOException {
        WorkerNode worker = watched.worker();
        FileReceiver receiver = new FileReceiver(file);
        Exchanges.Exchange<HttpResponse<byte[]>> exchange =
                exchanges.begin(
                        worker,
                        exchanges.request(worker, path).GET().build(),
                        receiver.handler(),
                        watched.timeout());
        try {
            watched.await(exchange, receiver);
            if (receiver.failure().isPresent()) {
                throw receiver.failure().get();
            }
            HttpResponse<byte[]> answer = exchange.answer();
            if (answer.statusCode() != 200) {
                throw Problems.toException(worker, answer.statusCode(), answer.body());
            }
            return answer;
        } finally {
            exchange.abandon();
        }
    }

    /** Returns the status of a worker. */
    public WorkerStatus status(WorkerNode worker) {
        HttpRequest request = exchanges.request(worker, WorkerProtocol.STATUS_PATH).GET().build();
        return json(worker, request, WorkerStatus.class, config.queryTimeout());
    }

    /**
     * Returns a page of a worker's accounts.
     *
     * @param after the {@code next} of the page before; -1 for the first page
     */
    public AccountPage accounts(WorkerNode worker, int after) {
        HttpRequest request =
                exchanges.request(worker, WorkerProtocol.accounts(after)).GET().build();
        return json(worker, request, AccountPage.class, config.queryTimeout());
    }

    /**
     * Makes a worker forget a closed account, unless the account has changed since this revision.
     */
    public void settle(WorkerNode worker, String account, long revision) {
        HttpRequest request =
                exchanges
                        .request(worker, WorkerProtocol.account(account, revision))
                        .DELETE()
                        .build();
        HttpResponse<byte[]> answer =
                exchanges.send(worker, request, Exchanges.limitedBytes(), config.queryTimeout());
        if (answer.statusCode() != 200) {
            throw Problems.toException(worker, answer.statusCode(), answer.body());
        }
    }

    /** Returns the content of a worker's chunk store, by mounted manifests. */
    public WorkerUsage usage(WorkerNode worker) {
        HttpRequest request = exchanges.request(worker, WorkerProtocol.USAGE_PATH).GET().build();
        UsageBody body = json(worker, request, UsageBody.class, config.queryTimeout());
        try {
            return body.decode();
        } catch (ForebayException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "worker %s sent an inconsistent usage".formatted(worker.id()),
                    e);
        }
    }

    @Override
    public void close() {
        exchanges.close();
        fills.close();
    }

    private <T> T json(WorkerNode worker, HttpRequest request, Class<T> type, Duration timeout) {
        return json(exchanges, worker, request, type, timeout);
    }

    private static <T> T json(
            Exchanges exchanges,
            WorkerNode worker,
            HttpRequest request,
            Class<T> type,
            Duration timeout) {
        HttpResponse<byte[]> answer =
                exchanges.send(worker, request, Exchanges.limitedBytes(), timeout);
        if (answer.statusCode() != 200) {
            throw Problems.toException(worker, answer.statusCode(), answer.body());
        }
        return Problems.read(worker, answer.body(), type);
    }

    private record CoverageBody(
            long chunks,
            String held,
            long liveBytes,
            @Nullable Map<String, Long> bytesFromLake,
            @Nullable Map<String, Long> bytesFromSiblings) {

        Coverage decode() {
            return new Coverage(
                    chunks,
                    BitSet.valueOf(Base64.getDecoder().decode(held)),
                    liveBytes,
                    byVersion(bytesFromLake),
                    byVersion(bytesFromSiblings));
        }

        private static Map<DatasetVersion, Long> byVersion(@Nullable Map<String, Long> said) {
            Map<DatasetVersion, Long> bytes = new HashMap<>();
            if (said != null) {
                said.forEach((name, n) -> bytes.put(DatasetVersion.parse(name), n));
            }
            return Map.copyOf(bytes);
        }
    }

    private record UsageBody(
            long capacityBytes,
            long usedBytes,
            boolean complete,
            @Nullable List<ShareBody> shares,
            @Nullable Map<String, Long> secondsSinceRead) {

        private record ShareBody(List<String> manifests, long bytes) {}

        WorkerUsage decode() {
            if (shares == null || secondsSinceRead == null) {
                throw new ForebayException(ErrorCode.UNAVAILABLE, "it is incomplete");
            }
            Map<Digest, Duration> readAgo = new HashMap<>();
            secondsSinceRead.forEach(
                    (manifest, seconds) ->
                            readAgo.put(new Digest(manifest), Duration.ofSeconds(seconds)));
            return new WorkerUsage(
                    capacityBytes,
                    usedBytes,
                    complete,
                    shares.stream().map(UsageBody::decode).toList(),
                    Map.copyOf(readAgo));
        }

        private static WorkerUsage.Share decode(ShareBody share) {
            return new WorkerUsage.Share(
                    share.manifests.stream().map(Digest::new).collect(Collectors.toSet()),
                    share.bytes);
        }
    }
}
