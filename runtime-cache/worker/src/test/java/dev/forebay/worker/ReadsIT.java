package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.image.ErofsImage;
import dev.forebay.image.ImageFile;
import dev.forebay.image.ImageName;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Segment;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.BlockChecksums;
import dev.forebay.transfer.Coverage;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.ReadAnswer;
import dev.forebay.transfer.RegionFiles;
import dev.forebay.transfer.RegionFilesConfig;
import dev.forebay.transfer.Source;
import dev.forebay.transfer.WorkerSet;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Answers of a worker to readers and nodes, as far as they depend on the connection, in plain text
 * and over TLS.
 */
@SuppressWarnings("NullAway.Init") // set before the tests of each wire
@ParameterizedClass
@EnumSource
class ReadsIT extends RunningWorker {

    private static final String IMAGES_WRITTEN = "forebay_worker_images_written_total";

    private static WorkerProcess served;

    @TempDir Path directory;

    private final TestProtocol wire;

    ReadsIT(TestProtocol wire) {
        this.wire = wire;
    }

    /** The worker does not ask the shared one, so that both wires have the same answers. */
    @BeforeParameterizedClassInvocation
    static void start(TestProtocol wire) {
        served =
                wire == TestProtocol.PLAIN
                        ? worker
                        : workerOfTheClass(
                                wire,
                                "reads-over-" + wire.scheme(),
                                "forebay.worker.peers.attempts=0",
                                "forebay.worker.fill.ahead=0");
    }

    private String dataset(String name) {
        return name + "-" + wire.scheme();
    }

    @Override
    TestVersion mounted(String name) {
        TestVersion version = super.mounted(dataset(name));
        awaitMounted(served, version);
        return version;
    }

    private static Coverage coverageOf(TestVersion version) {
        return client.coverage(served.node(), version.ref().digest());
    }

    private static ReadAnswer readFrom(TestVersion version, ByteBuffer target) {
        return client.read(
                served.node(),
                version.ref().digest(),
                version.pack().id(),
                0,
                target.remaining(),
                target);
    }

    @Test
    void aWorkerServesExactlyTheBytesOfTheLake() throws Exception {
        byte[] small = random(1, 3_000);
        byte[] large = random(2, 9 * MIB + 17);
        region.put(dataset("exact") + "/a-small", small);
        region.put(dataset("exact") + "/b-large", large);
        TestVersion version = mounted("exact");
        Segment place = version.segment(dataset("exact") + "/b-large");

        HttpResponse<byte[]> one = served.get(version.readPath(), "Range", "bytes=0-2999");
        HttpResponse<byte[]> end =
                served.get(version.readPath(), "Range", "bytes=%d-".formatted(ChunkId.CHUNK_BYTES));

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
    void anOpenRangeEndsAtTheEndOfItsChunk() throws Exception {
        region.put(dataset("ends") + "/object", random(3, 17 * MIB));
        TestVersion version = mounted("ends");

        HttpResponse<byte[]> answer =
                served.get(version.readPath(), "Range", "bytes=%d-".formatted(8 * MIB - 10));

        assertThat(answer.headers().firstValue("Content-Range"))
                .hasValue(
                        "bytes %d-%d/%d"
                                .formatted(8 * MIB - 10, 8 * MIB - 1, version.pack().bytes()));
        assertThat(answer.body()).hasSize(10);
    }

    @Test
    void coldAndCachedAnswersHaveChecksumsThatTheClientVerifies() {
        byte[] bytes = random(4, 300_000);
        region.put(dataset("checksums") + "/object", bytes);
        TestVersion version = mounted("checksums");
        ByteBuffer target = ByteBuffer.allocate((int) version.pack().bytes());

        ReadAnswer cold = readFrom(version, target);
        ReadAnswer warm = readFrom(version, target.clear());

        assertThat(cold.source()).isEqualTo(Source.LAKE);
        assertThat(warm).isEqualTo(new ReadAnswer(target.capacity(), Source.CACHE));
        assertThat(Arrays.copyOf(target.array(), bytes.length)).isEqualTo(bytes);
    }

    @Test
    void anUnalignedRangeHasChecksums() throws Exception {
        byte[] bytes = random(5, 300_000);
        region.put(dataset("unaligned") + "/object", bytes);
        TestVersion version = mounted("unaligned");

        HttpResponse<byte[]> answer = served.get(version.readPath(), "Range", "bytes=4096-200000");

        assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(bytes, 4096, 200_001));
        assertThat(answer.headers().firstValue("Forebay-Crc32c"))
                .hasValue(BlockChecksums.encode(ByteBuffer.wrap(answer.body())));
    }

    @Test
    void anOnlyIfCachedReadOfAnAbsentChunkFailsWithoutTheLake() throws Exception {
        region.put(dataset("miss") + "/object", random(6, 10_000));
        TestVersion version = mounted("miss");

        HttpResponse<byte[]> answer =
                served.get(
                        version.readPath(),
                        "Range",
                        "bytes=0-99",
                        "Cache-Control",
                        "only-if-cached");

        assertProblem(answer, 504, ErrorCode.NOT_FOUND);
        assertThat(region.reads(dataset("miss") + "/")).isEmpty();
    }

    @Test
    void aHundredReadersOfAColdChunkCauseOneReadPerObject() throws Exception {
        for (int i = 0; i < 20; i++) {
            region.put(dataset("hundred") + "/object-%02d".formatted(i), random(i, 30_000));
        }
        TestVersion version = mounted("hundred");
        List<Callable<Integer>> reads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            reads.add(() -> served.get(version.readPath(), "Range", "bytes=0-99999").statusCode());
        }

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Integer> status : threads.invokeAll(reads)) {
                assertThat(status.get()).isEqualTo(206);
            }
        }

        // The worker reads the rest of the chunk after the answers.
        await(() -> coverageOf(version).held().cardinality() == 1);
        assertThat(region.reads(dataset("hundred") + "/")).hasSize(20);
    }

    @Test
    void aFillFetchesEachChunkOnceAndCoverageReportsIt() throws Exception {
        region.put(dataset("fill") + "/a", random(7, 12 * MIB));
        region.put(dataset("fill") + "/b", random(8, 100));
        TestVersion version = mounted("fill");
        assertThat(coverageOf(version).held().cardinality()).isZero();

        List<FillAnswer> answers = new ArrayList<>();
        for (ChunkRef ref : version.chunks()) {
            answers.add(client.fill(served.node(), version.ref().digest(), ref.chunk()));
        }
        FillAnswer again =
                client.fill(served.node(), version.ref().digest(), version.chunks().get(0).chunk());

        assertThat(answers.stream().mapToLong(FillAnswer::bytesFromLake).sum())
                .isEqualTo(12 * MIB + 100);
        assertThat(answers.stream().mapToLong(FillAnswer::liveBytes).sum())
                .isEqualTo(12 * MIB + 100);
        assertThat(again).isEqualTo(new FillAnswer(8 * MIB, 0, 0, 0));
        assertThat(coverageOf(version).chunks()).isEqualTo(2);
        assertThat(coverageOf(version).held().stream()).containsExactly(0, 1);
        assertThat(region.reads(dataset("fill") + "/")).hasSize(3);
        assertThat(served.metric("forebay_worker_lake_bytes_total")).isPositive();
    }

    @Test
    void aWorkerServesTheManifest() throws Exception {
        region.put(dataset("manifest") + "/object", random(9, 100));
        TestVersion version = mounted("manifest");

        HttpResponse<byte[]> answer = served.get(version.manifestPath());

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(Files.readAllBytes(version.file()));
    }

    private static RegionFiles files(WorkerNode node) {
        WorkerSet one = new WorkerSet(List.of(node), Set.of(node.id()));
        return new RegionFiles(client, () -> one, RegionFilesConfig.defaults());
    }

    @Test
    void aWorkerWritesAnImageOnceForConcurrentRequests() throws Exception {
        region.put(dataset("image") + "/a/object", random(31, 100));
        region.put(dataset("image") + "/b", random(32, 5000));
        TestVersion version = mounted("image");
        ImageName name = new ImageName(version.name(), version.ref().digest());
        ImageFile expected =
                ErofsImage.write(version.file(), name, directory.resolve(name.fileName()));
        WorkerNode node = served.node();
        double written = served.metric(IMAGES_WRITTEN);

        try (ExecutorService nodes = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Digest>> answers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Path file = directory.resolve("copy-" + i);
                answers.add(
                        nodes.submit(
                                () ->
                                        files(node)
                                                .image(
                                                        version.name(),
                                                        version.ref().digest(),
                                                        file)));
            }
            for (Future<Digest> answer : answers) {
                assertThat(answer.get()).isEqualTo(expected.digest());
            }
        }
        assertThat(Files.mismatch(directory.resolve("copy-0"), expected.path())).isEqualTo(-1);
        assertThat(served.metric(IMAGES_WRITTEN)).isEqualTo(written + 1);
    }
}
