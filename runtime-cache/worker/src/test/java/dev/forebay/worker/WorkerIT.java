package dev.forebay.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.DevstackException;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Segment;
import dev.forebay.membership.Pin;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.transfer.BlockChecksums;
import dev.forebay.transfer.Coverage;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.ReadAnswer;
import dev.forebay.transfer.Source;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import io.vertx.core.json.JsonObject;
import java.io.RandomAccessFile;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The packaged worker against a real etcd and a real S3 server. */
@Timeout(120)
class WorkerIT {

    private static final int MIB = 1 << 20;

    @TempDir static Path directory;
    private static TestRegion region;
    private static WorkerClient client;
    private static WorkerProcess worker;

    private final List<AutoCloseable> toClose = new ArrayList<>();

    @BeforeAll
    static void start() {
        region = new TestRegion(directory);
        client = new WorkerClient(WorkerClientConfig.defaults());
        worker = WorkerProcess.start(region, directory.resolve("shared"), "worker");
    }

    @AfterAll
    static void stop() {
        worker.close();
        client.close();
        region.close();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : toClose.reversed()) {
            each.close();
        }
    }

    @Test
    void servesExactlyTheBytesOfTheLake() throws Exception {
        byte[] small = random(1, 3_000);
        byte[] large = random(2, 9 * MIB + 17);
        region.put("exact/a-small", small);
        region.put("exact/b-large", large);
        TestVersion version = mounted("exact");
        Segment place = version.segment("exact/b-large");

        HttpResponse<byte[]> one = worker.get(version.readPath(), "Range", "bytes=0-2999");
        HttpResponse<byte[]> end =
                worker.get(version.readPath(), "Range", "bytes=%d-".formatted(ChunkId.CHUNK_BYTES));

        assertThat(one.statusCode()).isEqualTo(206);
        assertThat(one.body()).isEqualTo(small);
        assertThat(one.headers().firstValue("Content-Range"))
                .hasValue("bytes 0-2999/" + version.pack().bytes());
        assertThat(one.headers().firstValue("Forebay-Source")).hasValue("lake");
        assertThat(end.statusCode()).isEqualTo(206);
        int skipped = (int) (ChunkId.CHUNK_BYTES - place.packOffset());
        assertThat(Arrays.copyOf(end.body(), large.length - skipped))
                .isEqualTo(Arrays.copyOfRange(large, skipped, large.length));
    }

    @Test
    void aRangeEndsWithItsChunk() throws Exception {
        region.put("ends/object", random(3, 17 * MIB));
        TestVersion version = mounted("ends");

        HttpResponse<byte[]> answer =
                worker.get(version.readPath(), "Range", "bytes=%d-".formatted(8 * MIB - 10));

        assertThat(answer.headers().firstValue("Content-Range"))
                .hasValue(
                        "bytes %d-%d/%d"
                                .formatted(8 * MIB - 10, 8 * MIB - 1, version.pack().bytes()));
        assertThat(answer.body()).hasSize(10);
    }

    @Test
    void everyAnswerCarriesChecksumsThatItsReaderCanCompare() {
        byte[] bytes = random(4, 300_000);
        region.put("checksums/object", bytes);
        TestVersion version = mounted("checksums");
        ByteBuffer target = ByteBuffer.allocate((int) version.pack().bytes());

        ReadAnswer cold = read(version, target);
        ReadAnswer warm = read(version, target.clear());

        assertThat(cold.source()).isEqualTo(Source.LAKE);
        assertThat(warm).isEqualTo(new ReadAnswer(target.capacity(), Source.CACHE));
        assertThat(Arrays.copyOf(target.array(), bytes.length)).isEqualTo(bytes);
    }

    @Test
    void anUnalignedRangeHasChecksumsToo() throws Exception {
        byte[] bytes = random(5, 300_000);
        region.put("unaligned/object", bytes);
        TestVersion version = mounted("unaligned");

        HttpResponse<byte[]> answer = worker.get(version.readPath(), "Range", "bytes=4096-200000");

        assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(bytes, 4096, 200_001));
        assertThat(answer.headers().firstValue("Forebay-Crc32c"))
                .hasValue(BlockChecksums.encode(ByteBuffer.wrap(answer.body())));
    }

    @Test
    void onlyIfCachedIsAMissThatAsksTheLakeNothing() throws Exception {
        region.put("miss/object", random(6, 10_000));
        TestVersion version = mounted("miss");

        HttpResponse<byte[]> answer =
                worker.get(
                        version.readPath(),
                        "Range",
                        "bytes=0-99",
                        "Cache-Control",
                        "only-if-cached");

        assertProblem(answer, 504, ErrorCode.NOT_FOUND);
        assertThat(region.reads("miss/")).isEmpty();
    }

    @Test
    void aHundredReadersOfAColdChunkCauseOneReadPerObject() throws Exception {
        for (int i = 0; i < 20; i++) {
            region.put("crowd/object-%02d".formatted(i), random(i, 30_000));
        }
        TestVersion version = mounted("crowd");
        List<Callable<Integer>> reads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            reads.add(() -> worker.get(version.readPath(), "Range", "bytes=0-99999").statusCode());
        }

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Integer> status : threads.invokeAll(reads)) {
                assertThat(status.get()).isEqualTo(206);
            }
        }

        assertThat(region.reads("crowd/")).hasSize(20);
    }

    @Test
    void fillsChunksAndSaysWhatIsHere() throws Exception {
        region.put("fill/a", random(7, 12 * MIB));
        region.put("fill/b", random(8, 100));
        TestVersion version = mounted("fill");
        assertThat(coverage(version).held().cardinality()).isZero();

        List<FillAnswer> answers = new ArrayList<>();
        for (ChunkRef ref : version.chunks()) {
            answers.add(client.fill(worker.node(), version.ref().digest(), ref.chunk()));
        }
        FillAnswer again =
                client.fill(worker.node(), version.ref().digest(), version.chunks().get(0).chunk());

        assertThat(answers.stream().mapToLong(FillAnswer::bytesFromLake).sum())
                .isEqualTo(12 * MIB + 100);
        assertThat(answers.stream().mapToLong(FillAnswer::liveBytes).sum())
                .isEqualTo(12 * MIB + 100);
        assertThat(again).isEqualTo(new FillAnswer(8 * MIB, 0, 0));
        assertThat(coverage(version).chunks()).isEqualTo(2);
        assertThat(coverage(version).held().cardinality()).isEqualTo(2);
        assertThat(region.reads("fill/")).hasSize(3);
        assertThat(worker.metric("forebay_worker_lake_bytes_total")).isPositive();
    }

    @Test
    void handsOutTheManifest() throws Exception {
        region.put("manifest/object", random(9, 100));
        TestVersion version = mounted("manifest");

        HttpResponse<byte[]> answer = worker.get(version.manifestPath());

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(Files.readAllBytes(version.file()));
    }

    @Test
    void anOverwrittenObjectIsRefusedAndItsNeighboursAreRead() throws Exception {
        byte[] good = random(10, 5_000);
        region.put("changed/a-good", good);
        region.put("changed/b-changed", random(11, 5_000));
        region.put("changed/c-good", good);
        TestVersion version = mounted("changed");
        region.put("changed/b-changed", random(12, 5_000));

        for (String key : List.of("changed/a-good", "changed/c-good")) {
            HttpResponse<byte[]> answer = readObject(version, key);
            assertThat(answer.statusCode()).isEqualTo(206);
            assertThat(answer.body()).isEqualTo(good);
        }
        int before = region.reads("changed/b").size();
        for (int i = 0; i < 5; i++) {
            assertProblem(
                    readObject(version, "changed/b-changed"), 409, ErrorCode.LAKE_OBJECT_CHANGED);
        }
        assertThat(region.reads("changed/b")).hasSize(before);
        assertThatThrownBy(
                        () ->
                                client.fill(
                                        worker.node(),
                                        version.ref().digest(),
                                        version.chunks().get(0).chunk()))
                .hasMessageContaining("changed/b-changed")
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_OBJECT_CHANGED));
        assertThat(coverage(version).held().cardinality()).isZero();
    }

    @Test
    void isWarmAfterItWasKilled() throws Exception {
        region.put("warm/object", random(13, 10 * MIB));
        TestVersion version = mounted("warm");
        WorkerProcess own = ownWorker("killed");
        String id = status(own).getString("id");
        assertThat(own.get(version.readPath(), "Range", "bytes=0-99").statusCode()).isEqualTo(206);
        int reads = region.reads("warm/").size();

        own.kill9();
        own.restart();
        HttpResponse<byte[]> answer = own.get(version.readPath(), "Range", "bytes=0-99");

        assertThat(answer.headers().firstValue("Forebay-Source")).hasValue("cache");
        assertThat(region.reads("warm/")).hasSize(reads);
        assertThat(status(own).getString("id")).isEqualTo(id);
    }

    @Test
    void takesAChunkFromAnotherWorkerBeforeTheLake() throws Exception {
        byte[] bytes = random(14, 100_000);
        region.put("peer/object", bytes);
        TestVersion version = mounted("peer");
        assertThat(readObject(version, "peer/object").statusCode()).isEqualTo(206);
        int reads = region.reads("peer/").size();
        WorkerProcess own = ownWorker("second", "forebay.worker.peers.attempts=5");

        HttpResponse<byte[]> answer = own.get(version.readPath(), "Range", "bytes=0-99999");

        assertThat(answer.headers().firstValue("Forebay-Source")).hasValue("peer");
        assertThat(answer.body()).isEqualTo(bytes);
        assertThat(region.reads("peer/")).hasSize(reads);
    }

    @Test
    void readsGoOnWithoutEtcd() throws Exception {
        region.put("alone/object", random(15, 9 * MIB));
        TestVersion version = mounted("alone");
        region.etcd.pause();
        try {
            assertThat(worker.get(version.readPath(), "Range", "bytes=0-99").statusCode())
                    .isEqualTo(206);
            assertThat(worker.get("/q/health/ready").statusCode()).isEqualTo(200);
        } finally {
            region.etcd.resume();
        }
    }

    @Test
    void aPinnedVersionIsNeitherDroppedNorEvicted() throws Exception {
        region.put("pinned/object", random(16, 30 * MIB));
        region.put("other/object", random(17, 40 * MIB));
        TestVersion pinned = mounted("pinned");
        TestVersion other = mounted("other");
        region.state.pin(new Pin(pinned.name(), "p1", "job-1", "training", Duration.ofMinutes(5)));
        WorkerProcess own = ownWorker("small", "forebay.worker.capacity=50M");
        for (ChunkRef ref : pinned.chunks()) {
            client.fill(own.node(), pinned.ref().digest(), ref.chunk());
        }

        HttpResponse<byte[]> dropped = own.send("DELETE", pinned.manifestPath() + "/chunks");
        for (ChunkRef ref : other.chunks()) {
            client.fill(own.node(), other.ref().digest(), ref.chunk());
        }

        assertProblem(dropped, 409, ErrorCode.PINNED);
        assertThat(client.coverage(own.node(), pinned.ref().digest()).held().cardinality())
                .isEqualTo(pinned.chunks().size());
        assertThat(own.metric("forebay_worker_store_evicted_chunks_total")).isPositive();
    }

    @Test
    void saysThatItIsFullWhenEverythingIsPinned() {
        region.put("full/object", random(18, 60 * MIB));
        TestVersion version = mounted("full");
        region.state.pin(new Pin(version.name(), "p1", "job-1", "training", Duration.ofMinutes(5)));
        WorkerProcess own = ownWorker("full", "forebay.worker.capacity=40M");

        assertThatThrownBy(
                        () -> {
                            for (ChunkRef ref : version.chunks()) {
                                client.fill(own.node(), version.ref().digest(), ref.chunk());
                            }
                        })
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED));
    }

    @Test
    void dropsAnEvictedVersionButKeepsWhatAnotherVersionRefersTo() throws Exception {
        region.put("dropped/object", random(19, 100_000));
        TestVersion first = mounted("dropped");
        TestVersion second = region.mount("dropped-again", "dropped/");
        awaitMounted(worker, second);
        client.fill(worker.node(), first.ref().digest(), first.chunks().get(0).chunk());
        assertThat(second.ref().digest()).isEqualTo(first.ref().digest());

        region.state.beginEviction(first.name());
        assertThat(drop(first)).isEqualTo(new DropAnswer(0, 0));
        region.state.unmount(first.name());
        region.state.beginEviction(second.name());

        assertThat(drop(second).chunksDropped()).isEqualTo(1);
        region.state.unmount(second.name());
        awaitStatus(worker, second, 404);
    }

    @Test
    void anAnswerUnderWayStaysRightWhenItsChunkIsDropped() throws Exception {
        byte[] bytes = random(24, 8 * MIB);
        region.put("vanishing/object", bytes);
        TestVersion version = mounted("vanishing");
        client.fill(worker.node(), version.ref().digest(), version.chunks().get(0).chunk());

        try (SlowReader reader = SlowReader.ask(worker.address(), version.readPath())) {
            region.state.beginEviction(version.name());
            assertThat(drop(version).chunksDropped()).isEqualTo(1);

            assertThat(reader.body(bytes.length)).isEqualTo(bytes);
        }
    }

    @Test
    void aVersionThatIsBeingEvictedIsNotFilledAgain() throws Exception {
        region.put("leaving/object", random(20, 100_000));
        TestVersion version = mounted("leaving");
        region.state.beginEviction(version.name());
        drop(version);

        assertProblem(readObject(version, "leaving/object"), 409, ErrorCode.EVICTING);
        assertThat(region.reads("leaving/")).isEmpty();
    }

    @Test
    void damageOnDiskIsFoundByTheReaderAndMendedByTheScrub() throws Exception {
        region.put("damaged/object", random(21, 200_000));
        TestVersion version = mounted("damaged");
        WorkerProcess own =
                ownWorker(
                        "scrubbed",
                        "forebay.worker.scrub.pause=200ms",
                        "forebay.worker.scrub.bytes-per-second=1G",
                        "forebay.worker.peers.attempts=0");
        client.fill(own.node(), version.ref().digest(), version.chunks().get(0).chunk());

        try (RandomAccessFile file = new RandomAccessFile(own.chunkFiles().get(0).toFile(), "rw")) {
            file.seek(70_000);
            file.write(file.read() ^ 1);
            file.seek(70_001);
            file.write(0x55);
        }

        await(() -> own.metric("forebay_worker_store_damaged_chunks_total") > 0);
        ByteBuffer target = ByteBuffer.allocate((int) version.pack().bytes());
        ReadAnswer answer =
                client.read(
                        own.node(),
                        version.ref().digest(),
                        version.pack().id(),
                        0,
                        target.capacity(),
                        target);
        assertThat(answer.source()).isEqualTo(Source.LAKE);
    }

    @Test
    void refusesBadInputWithTheFieldAndTheRule() throws Exception {
        region.put("bad/object", random(22, 100));
        TestVersion version = mounted("bad");
        String pack = version.pack().id().toString();
        String digest = version.ref().digest().hex();

        assertProblem(
                worker.get("/v1/packs/XYZ?manifest=" + digest, "Range", "bytes=0-1"),
                400,
                ErrorCode.INVALID_ARGUMENT,
                "pack",
                "64 lower-case");
        assertProblem(
                worker.get("/v1/packs/" + pack, "Range", "bytes=0-1"),
                400,
                ErrorCode.INVALID_ARGUMENT,
                "manifest",
                "missing");
        assertProblem(
                worker.get(version.readPath()),
                400,
                ErrorCode.INVALID_ARGUMENT,
                "Range",
                "bytes=a-b");
        assertProblem(
                worker.get(version.readPath(), "Range", "bytes=4096-"),
                416,
                ErrorCode.INVALID_ARGUMENT,
                "Range",
                "4096");
        assertProblem(
                worker.send("PUT", "/v1/packs/" + pack + "/chunks/-1?manifest=" + digest),
                400,
                ErrorCode.INVALID_ARGUMENT,
                "index",
                "whole number");
        assertProblem(
                worker.send("PUT", "/v1/packs/" + pack + "/chunks/7?manifest=" + digest),
                400,
                ErrorCode.INVALID_ARGUMENT,
                "index",
                "less than 1");
        assertProblem(
                worker.get(
                        "/v1/packs/" + "c".repeat(64) + "?manifest=" + digest,
                        "Range",
                        "bytes=0-1"),
                404,
                ErrorCode.NOT_FOUND);
        assertProblem(worker.get("/v1/manifests/" + "d".repeat(64)), 404, ErrorCode.NOT_FOUND);
    }

    @Test
    void wantsTheTokenOnEveryRequestWhenThereIsOne() throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "a-token-of-enough-characters\n");
        WorkerProcess own = ownWorker("guarded", "forebay.token-file=" + file);

        assertProblem(own.get("/v1/status"), 401, ErrorCode.DENIED);
        assertThat(
                        own.get(
                                        "/v1/status",
                                        "Authorization",
                                        "Bearer a-token-of-enough-characters")
                                .statusCode())
                .isEqualTo(200);
    }

    @Test
    void refusesToListenToTheWorldWithoutAToken() {
        assertThatThrownBy(() -> ownWorker("open", "quarkus.http.host=0.0.0.0"))
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining("forebay.token-file");
    }

    @Test
    void namesThePropertyThatCannotWork() {
        assertThatThrownBy(() -> ownWorker("tiny", "forebay.worker.capacity=1M"))
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining("forebay.worker.capacity");
    }

    @Test
    void finishesWhatItIsDoingWhenItIsStopped() throws Exception {
        region.put("stopping/object", random(23, 8 * MIB));
        TestVersion version = mounted("stopping");
        WorkerProcess own = ownWorker("stopping", "forebay.worker.peers.attempts=0");
        awaitMounted(own, version);
        region.s3.pause();
        Future<HttpResponse<byte[]>> answer;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            answer = threads.submit(() -> own.get(version.readPath(), "Range", "bytes=0-8388607"));
            await(() -> own.metric("forebay_worker_fills_under_way") > 0);
            Future<?> stopping = threads.submit(own::close);
            await(() -> status(own, "/q/health/ready") != 200);
            region.s3.resume();
            stopping.get();
        } finally {
            region.s3.resume();
        }

        assertThat(answer.get().statusCode()).isEqualTo(206);
        assertThat(answer.get().body()).hasSize(8 * MIB);
    }

    private WorkerProcess ownWorker(String name, String... properties) {
        WorkerProcess own = WorkerProcess.start(region, directory.resolve(name), name, properties);
        toClose.add(own);
        return own;
    }

    private TestVersion mounted(String name) {
        TestVersion version = region.mount(name, name + "/");
        awaitMounted(worker, version);
        return version;
    }

    private static void awaitMounted(WorkerProcess process, TestVersion version) {
        awaitStatus(process, version, 200);
    }

    private static void awaitStatus(WorkerProcess process, TestVersion version, int status) {
        await(() -> status(process, version.manifestPath() + "/coverage") == status);
    }

    private static void await(Callable<Boolean> condition) {
        try {
            long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (!condition.call()) {
                assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
                Thread.sleep(10);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static int status(WorkerProcess process, String path) {
        try {
            return process.get(path).statusCode();
        } catch (Exception e) {
            return -1;
        }
    }

    private static JsonObject status(WorkerProcess process) throws Exception {
        return new JsonObject(new String(process.get("/v1/status").body(), UTF_8));
    }

    private static Coverage coverage(TestVersion version) {
        return client.coverage(worker.node(), version.ref().digest());
    }

    /** Drops, trying again while the worker has not seen the eviction begin. */
    private static DropAnswer drop(TestVersion version) {
        while (true) {
            try {
                return client.drop(worker.node(), version.ref().digest());
            } catch (ForebayException e) {
                if (e.code() != ErrorCode.UNAVAILABLE) {
                    throw e;
                }
            }
        }
    }

    private static ReadAnswer read(TestVersion version, ByteBuffer target) {
        return client.read(
                worker.node(),
                version.ref().digest(),
                version.pack().id(),
                0,
                target.remaining(),
                target);
    }

    private static HttpResponse<byte[]> readObject(TestVersion version, String key)
            throws Exception {
        Segment place = version.segment(key);
        return worker.get(
                version.readPath(),
                "Range",
                "bytes=%d-%d".formatted(place.packOffset(), place.packOffset() + place.size() - 1));
    }

    private static void assertProblem(HttpResponse<byte[]> answer, int status, ErrorCode code) {
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValue("application/problem+json");
        JsonObject problem = new JsonObject(new String(answer.body(), UTF_8));
        assertThat(problem.getString("code")).isEqualTo(code.name());
        assertThat(problem.getInteger("status")).isEqualTo(status);
    }

    private static void assertProblem(
            HttpResponse<byte[]> answer, int status, ErrorCode code, String field, String rule) {
        assertProblem(answer, status, code);
        JsonObject problem = new JsonObject(new String(answer.body(), UTF_8));
        assertThat(problem.getString("field")).isEqualTo(field);
        assertThat(problem.getString("detail")).contains(field).contains(rule);
    }

    private static byte[] random(int seed, int size) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
