package dev.forebay.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkerClientTest {

    private static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;
    private static final PackId PACK = PackId.parse("a".repeat(64));
    private static final Digest MANIFEST = new Digest("b".repeat(64));

    private final byte[] pack = new byte[ChunkId.CHUNK_BYTES + 3 * BLOCK + 4096];
    private final ByteBuffer target = ByteBuffer.allocate(ChunkId.CHUNK_BYTES);

    private FakeWorker worker;
    private WorkerClient client;

    @BeforeEach
    void start() throws Exception {
        new Random(1).nextBytes(pack);
        worker = new FakeWorker("w1", pack);
        client =
                new WorkerClient(
                        WorkerClientConfig.defaults()
                                .withReadTimeouts(Duration.ofSeconds(4), Duration.ofSeconds(3)));
    }

    @AfterEach
    void stop() {
        client.close();
        worker.close();
    }

    private ReadAnswer read(long from, long to) {
        return client.read(worker.node(), MANIFEST, PACK, from, to, target);
    }

    private ErrorCode failure() {
        try {
            read(0, 2 * BLOCK);
        } catch (ForebayException e) {
            return e.code();
        }
        throw new AssertionError("the read succeeded");
    }

    @Test
    void readsARangeAndReportsItsSource() {
        assertThat(read(BLOCK, 4L * BLOCK)).isEqualTo(new ReadAnswer(3 * BLOCK, Source.LAKE));
        assertThat(target.position()).isEqualTo(3 * BLOCK);
        assertThat(Arrays.copyOf(target.array(), 3 * BLOCK))
                .isEqualTo(Arrays.copyOfRange(pack, BLOCK, 4 * BLOCK));
        assertThat(worker.requests())
                .containsExactly("GET /v1/packs/%s?manifest=%s".formatted(PACK, MANIFEST));
    }

    @Test
    void readsTheShortEndOfAPack() {
        long from = ChunkId.CHUNK_BYTES + 3L * BLOCK;
        assertThat(read(from, from + BLOCK).bytes()).isEqualTo(4096);
    }

    @Test
    void acceptsAnAnswerShorterThanTheRange() {
        worker.oneBlockEach();
        assertThat(read(0, 3L * BLOCK).bytes()).isEqualTo(BLOCK);
        assertThat(target.position()).isEqualTo(BLOCK);
    }

    @Test
    void aFlippedBitFailsWithCorrupt() {
        worker.flipBit();
        assertThat(failure()).isEqualTo(ErrorCode.CORRUPT);
        assertThat(target.position()).isZero();
    }

    @Test
    void aBodyShorterThanItsContentRangeFailsWithCorrupt() {
        worker.sendHalf();
        assertThat(failure()).isEqualTo(ErrorCode.CORRUPT);
    }

    @Test
    void bytesWithoutChecksumsFailWithCorrupt() {
        worker.behave(
                exchange -> {
                    exchange.getResponseHeaders().add("Content-Range", "bytes 0-131071/131072");
                    FakeWorker.send(exchange, 206, new byte[2 * BLOCK]);
                });
        assertThat(failure()).isEqualTo(ErrorCode.CORRUPT);
    }

    @Test
    void bytesOfAnotherRangeFailWithCorrupt() {
        worker.behave(
                exchange -> {
                    byte[] bytes = new byte[2 * BLOCK];
                    exchange.getResponseHeaders().add("Content-Range", "bytes 65536-196607/196608");
                    exchange.getResponseHeaders()
                            .add(
                                    WorkerProtocol.CRC_HEADER,
                                    BlockChecksums.encode(ByteBuffer.wrap(bytes)));
                    FakeWorker.send(exchange, 206, bytes);
                });
        assertThat(failure()).isEqualTo(ErrorCode.CORRUPT);
    }

    @Test
    void aBrokenConnectionFailsWithUnavailable() {
        worker.cutShort();
        assertThat(failure()).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void anAnswerLongerThanTheRangeFailsWithUnavailable() {
        worker.behave(exchange -> FakeWorker.send(exchange, 206, new byte[3 * BLOCK]));
        assertThat(failure()).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void aSilentWorkerFailsWithUnavailableWithinTheTimeout() {
        worker.silent();
        long before = System.nanoTime();
        assertThat(failure()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(15));
    }

    @Test
    void aStoppedWorkerFailsWithUnavailable() {
        worker.close();
        assertThat(failure()).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    /**
     * The rows of "What workers answer" in docs/failures.md. An answer without a code does not come
     * from a worker.
     */
    @ParameterizedTest
    @CsvSource({
        "409, PINNED, PINNED, final",
        "409, LAKE_OBJECT_CHANGED, LAKE_OBJECT_CHANGED, final",
        "409, EVICTING, EVICTING, again",
        "403, LAKE_DENIED, LAKE_DENIED, final",
        "503, LAKE_UNAVAILABLE, LAKE_UNAVAILABLE, again",
        "503, UNAVAILABLE, UNAVAILABLE, again",
        "401, DENIED, DENIED, final",
        "404, NOT_FOUND, NOT_FOUND, final",
        "400, INVALID_ARGUMENT, INVALID_ARGUMENT, final",
        "409, CORRUPT, CORRUPT, again",
        "507, CAPACITY_EXCEEDED, CAPACITY_EXCEEDED, again",
        "500, INTERNAL, INTERNAL, again",
        "503, FROM_THE_FUTURE, UNAVAILABLE, again",
        "429, FROM_THE_FUTURE, UNAVAILABLE, again",
        "507, FROM_THE_FUTURE, CAPACITY_EXCEEDED, again",
        "404, FROM_THE_FUTURE, NOT_FOUND, final",
        "400, FROM_THE_FUTURE, INVALID_ARGUMENT, final",
        "401, , DENIED, final",
        "403, , DENIED, final",
        "302, , UNAVAILABLE, again",
        "400, , UNAVAILABLE, again",
        "404, , UNAVAILABLE, again",
        "409, , UNAVAILABLE, again",
        "502, , UNAVAILABLE, again",
        "503, , UNAVAILABLE, again",
        "504, , UNAVAILABLE, again",
        "507, , UNAVAILABLE, again",
        "200, , UNAVAILABLE, again"
    })
    void anErrorAnswerKeepsItsCode(int status, String code, ErrorCode expected, String again) {
        worker.refuse(status, code);
        assertThat(failure()).isEqualTo(expected);
        assertThat(expected.retryable()).isEqualTo(again.equals("again"));
    }

    @Test
    void anUnknownRetryableCodeIsReadAsUnavailable() {
        worker.behave(
                exchange ->
                        FakeWorker.send(
                                exchange,
                                409,
                                "{\"code\":\"RESHARDING\",\"retryable\":true,\"detail\":\"soon\"}"
                                        .getBytes(StandardCharsets.UTF_8)));
        assertThat(failure()).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void readIfCachedReturnsEmptyForAMiss() {
        worker.refuse(504, "NOT_FOUND");
        assertThat(client.readIfCached(worker.node(), MANIFEST, PACK, 0, BLOCK, target)).isEmpty();
        worker.honest();
        assertThat(client.readIfCached(worker.node(), MANIFEST, PACK, 0, BLOCK, target))
                .contains(new ReadAnswer(BLOCK, Source.LAKE));
    }

    @Test
    void readsAnUnalignedRange() {
        assertThat(read(4711, 4711 + BLOCK + 5).bytes()).isEqualTo(BLOCK + 5);
        assertThat(Arrays.copyOf(target.array(), BLOCK + 5))
                .isEqualTo(Arrays.copyOfRange(pack, 4711, 4711 + BLOCK + 5));
    }

    @Test
    void refusesAnEmptyRangeAndOneAcrossChunks() {
        for (long[] range : new long[][] {{-1, BLOCK}, {0, 0}, {0, ChunkId.CHUNK_BYTES + 1}}) {
            assertThatExceptionOfType(ForebayException.class)
                    .isThrownBy(() -> read(range[0], range[1]))
                    .matches(e -> e.code() == ErrorCode.INVALID_ARGUMENT);
        }
        assertThat(worker.requests()).isEmpty();
    }

    /** A worker may have been upgraded before its client. */
    @Test
    void unknownMembersOfAnAnswerAreIgnored() {
        worker.json(
                "{\"liveBytes\":3,\"bytesFromLake\":2,\"bytesFromPeers\":1,\"bytesFromSiblings\":0,\"bytesFromTape\":9}");
        assertThat(client.fill(worker.node(), MANIFEST, new ChunkId(PACK, 7)))
                .isEqualTo(new FillAnswer(3, 2, 1, 0));
        worker.json("{\"chunks\":1,\"held\":\"AQ==\",\"liveBytes\":3,\"tiers\":{\"nvme\":1}}");
        assertThat(client.coverage(worker.node(), MANIFEST).held().cardinality()).isEqualTo(1);
        worker.json(
                "{\"id\":\"w1\",\"region\":\"r\",\"capacityBytes\":9,\"usedBytes\":8,\"chunks\":7,\"tier\":{}}");
        assertThat(client.status(worker.node()).capacityBytes()).isEqualTo(9);
    }

    @Test
    void fillsAndDropsAndReportsStatus() {
        worker.json(
                "{\"liveBytes\":3,\"bytesFromLake\":2,\"bytesFromPeers\":1,\"bytesFromSiblings\":0}");
        assertThat(client.fill(worker.node(), MANIFEST, new ChunkId(PACK, 7)))
                .isEqualTo(new FillAnswer(3, 2, 1, 0));
        worker.json("{\"chunksDropped\":4,\"bytesDropped\":5}");
        assertThat(client.drop(worker.node(), MANIFEST)).isEqualTo(new DropAnswer(4, 5));
        worker.json(
                "{\"id\":\"w1\",\"region\":\"r\",\"capacityBytes\":9,\"usedBytes\":8,\"chunks\":7}");
        assertThat(client.status(worker.node())).isEqualTo(new WorkerStatus("w1", "r", 9, 8, 7));
        assertThat(worker.requests())
                .containsExactly(
                        "PUT /v1/packs/%s/chunks/7?manifest=%s".formatted(PACK, MANIFEST),
                        "DELETE /v1/manifests/%s/chunks".formatted(MANIFEST),
                        "GET /v1/status");
    }

    /** Neither requests nor reads use the proxy of Java's properties. */
    @Test
    void requestsToWorkersBypassTheProxy() {
        Map<String, String> proxy =
                Map.of(
                        "http.proxyHost", "127.0.0.1",
                        "http.proxyPort", "9",
                        "http.nonProxyHosts", "nothing",
                        "socksProxyHost", "127.0.0.1",
                        "socksProxyPort", "9",
                        "socksNonProxyHosts", "nothing");
        proxy.forEach(System::setProperty);
        try (WorkerClient direct = new WorkerClient(WorkerClientConfig.defaults())) {
            direct.read(worker.node(), MANIFEST, PACK, 0, BLOCK, target);
            worker.json("{\"chunksDropped\":4,\"bytesDropped\":5}");
            assertThat(direct.drop(worker.node(), MANIFEST)).isEqualTo(new DropAnswer(4, 5));
        } finally {
            proxy.keySet().forEach(System::clearProperty);
        }
    }

    /** Fills take minutes, and the test makes more of them than may run at once. */
    @Test
    void coverageAnswersWhileManyFillsAreRunning() throws Exception {
        int most = WorkerClientConfig.defaults().maxRequests();
        worker.silent();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 2 * most; i++) {
                ChunkId chunk = new ChunkId(PACK, i);
                threads.execute(() -> client.fill(worker.node(), MANIFEST, chunk));
            }
            long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (worker.requests().size() < most) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                Thread.sleep(1);
            }
            worker.json("{\"chunks\":10,\"held\":\"AQI=\"}");
            assertThat(client.coverage(worker.node(), MANIFEST).chunks()).isEqualTo(10);
            threads.shutdownNow();
        }
    }

    @Test
    void readsCoverageBits() {
        worker.json("{\"chunks\":10,\"held\":\"AQI=\"}");
        Coverage coverage = client.coverage(worker.node(), MANIFEST);
        assertThat(coverage.chunks()).isEqualTo(10);
        assertThat(coverage.held().stream()).containsExactly(0, 9);
        assertThat(coverage.bytesFromLake()).isEmpty();
        worker.json("{\"chunks\":0,\"held\":\"\",\"bytesFromLake\":{\"a/b@c\":17}}");
        assertThat(client.coverage(worker.node(), MANIFEST).bytesFromLake())
                .isEqualTo(Map.of(DatasetVersion.parse("a/b@c"), 17L));
    }

    @Test
    void verifiesAChunk() {
        worker.json("{\"verdict\":\"REPAIRED\"}");
        assertThat(client.verify(worker.node(), MANIFEST, new ChunkId(PACK, 7)).verdict())
                .isEqualTo(VerifyAnswer.Verdict.REPAIRED);
        assertThat(worker.requests())
                .containsExactly(
                        "POST /v1/packs/" + PACK + "/chunks/7/verify?manifest=" + MANIFEST);
    }

    @Test
    void invalidJsonFailsWithUnavailable() {
        for (String body :
                new String[] {
                    "[]",
                    "<html>",
                    "{\"chunks\":1,\"held\":\"!\"}",
                    "{\"chunks\":1,\"held\":\"\",\"bytesFromLake\":{\"x\":1}}"
                }) {
            worker.json(body);
            assertThatExceptionOfType(ForebayException.class)
                    .isThrownBy(() -> client.coverage(worker.node(), MANIFEST))
                    .matches(e -> e.code() == ErrorCode.UNAVAILABLE);
        }
    }

    @Test
    void presentsItsToken(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "0123456789abcdef\n");
        BearerToken token = BearerToken.read("forebay.token-file", file);
        worker.behave(
                exchange -> {
                    boolean admitted =
                            token.admits(exchange.getRequestHeaders().getFirst(BearerToken.HEADER));
                    if (admitted) {
                        worker.serve(exchange);
                    } else {
                        FakeWorker.send(exchange, 401, new byte[0]);
                    }
                });
        assertThat(failure()).isEqualTo(ErrorCode.DENIED);
        try (WorkerClient withToken =
                new WorkerClient(WorkerClientConfig.defaults().withToken(Optional.of(token)))) {
            withToken.read(worker.node(), MANIFEST, PACK, 0, BLOCK, target);
        }
    }
}
