package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.Fault;
import dev.forebay.devstack.fault.FaultProxy;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Segment;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Reads of bytes that are not in the region; semantics.md, "The first bytes do not wait for the
 * rest".
 */
@SuppressWarnings("NullAway.Init") // set before all tests
class ColdReadIT extends RunningWorker {

    private static final int BYTES = 64 << 10;

    /** The default of {@code forebay.worker.fill.ahead}, in chunks. */
    private static final int AHEAD = 16;

    /** The highest accepted ratio of the worker's time to the lake's. The goal is 1.5. */
    private static final double MOST = 6;

    private static WorkerProcess own;

    @BeforeAll
    static void start() {
        own = workerOfTheClass("cold");
    }

    @Test
    void aReadOfTheFirstBytesFillsTheRestOfTheFile() throws Exception {
        region.put("rest/object", random(97, 40 * MIB));
        TestVersion version = mounted("rest");
        awaitMounted(own, version);

        assertThat(own.get(version.readPath(), "Range", "bytes=0-99").statusCode()).isEqualTo(206);

        // Each chunk is filled by its owner, which may be any live worker.
        await(() -> heldInTheRegion(version) >= version.chunks().size());
    }

    @Test
    void theFillAheadWindowMovesWithTheReader() throws Exception {
        region.put("window/object", random(98, 160 * MIB));
        TestVersion version = mounted("window");
        awaitMounted(own, version);
        read(version, version.chunks().get(0).chunk());
        await(() -> heldInTheRegion(version) == 1 + AHEAD);

        read(version, version.chunks().get(1).chunk());
        read(version, version.chunks().get(2).chunk());

        await(() -> heldInTheRegion(version) == 1 + AHEAD + 2);
    }

    /** Reads one byte of a chunk from its owner. */
    private static void read(TestVersion version, ChunkId chunk) {
        RegionView view = region.state.view();
        WorkerNode owner =
                Placement.rank(chunk, view.workers()).stream()
                        .filter(ranked -> view.live().contains(ranked.id()))
                        .findFirst()
                        .orElseThrow();
        Digest manifest = version.ref().digest();
        long at = chunk.start();
        client.read(owner, manifest, chunk.pack(), at, at + 1, ByteBuffer.allocate(1));
    }

    /**
     * The lake holds back all answers except the first bytes of the object, until the reader has
     * them.
     */
    @Test
    void theFirstBytesDoNotWaitForTheRestOfTheirChunk() throws Exception {
        // Longer than a chunk, because an object within one chunk is read by a single request.
        byte[] bytes = random(99, 12 * MIB);
        region.put("first/object", bytes);
        TestVersion version = mounted("first");
        CountDownLatch read = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        try (FaultProxy lake = FaultProxy.before(region.s3.endpoint())) {
            WorkerProcess behindProxy =
                    ownWorker(
                            "behind-proxy",
                            "forebay.lake.endpoint=" + lake.endpoint(),
                            "forebay.worker.fill.ahead=0",
                            "forebay.worker.peers.attempts=0");
            awaitMounted(behindProxy, version);
            lake.spoil(
                    request -> {
                        if (request.target().contains("/first/")) {
                            asked.incrementAndGet();
                            if (!request.range().startsWith("bytes=0-")) {
                                awaitQuietly(read);
                            }
                        }
                        return Fault.NONE;
                    });
            ByteBuffer target = ByteBuffer.allocate(BYTES);
            try {
                client.read(
                        behindProxy.node(),
                        version.ref().digest(),
                        version.pack().id(),
                        0,
                        BYTES,
                        target);
                assertThat(target.array()).isEqualTo(Arrays.copyOf(bytes, BYTES));
                assertThat(held(behindProxy, version))
                        .as("chunks held after %s requests", asked)
                        .isZero();
            } finally {
                read.countDown();
            }

            await(() -> held(behindProxy, version) == 1);
            assertThat(asked).hasValueGreaterThan(1);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Compares times, so it needs an idle machine: for the benchmark only. */
    @Test
    @EnabledIfSystemProperty(named = "forebay.first-bytes.attempts", matches = "\\d+")
    void theFirstBytesTakeAtMostSixTimesAsLongAsFromTheLake() throws Exception {
        int attempts = Integer.getInteger("forebay.first-bytes.attempts");
        double ratio = timeThroughAWorkerToTimeFromTheLake("first-0");
        for (int attempt = 1; ratio >= MOST && attempt < attempts; attempt++) {
            ratio = timeThroughAWorkerToTimeFromTheLake("first-" + attempt);
        }
        assertThat(ratio).isLessThan(MOST);
    }

    private double timeThroughAWorkerToTimeFromTheLake(String name) throws Exception {
        region.put(name + "/object", random(96, 160 * MIB));
        TestVersion version = mounted(name);
        WorkerProcess alone =
                ownWorker(name, "forebay.worker.fill.ahead=0", "forebay.worker.peers.attempts=0");
        awaitMounted(alone, version);
        Segment object = version.segment(name + "/object");
        Digest manifest = version.ref().digest();
        List<Double> direct = new ArrayList<>();
        List<Double> through = new ArrayList<>();
        for (ChunkRef ref : version.chunks()) {
            long at = ref.chunk().start();
            ByteBuffer target = ByteBuffer.allocate(BYTES);
            long begun = System.nanoTime();
            region.lake.read(TestRegion.BUCKET, object.object(), at, target);
            direct.add((System.nanoTime() - begun) / 1e6);
            target.clear();
            begun = System.nanoTime();
            client.read(alone.node(), manifest, version.pack().id(), at, at + BYTES, target);
            through.add((System.nanoTime() - begun) / 1e6);
            // The fill of the rest must not slow down the next measurement.
            await(() -> alone.metric("forebay_worker_fills_under_way") == 0);
        }
        double ratio = median(through) / median(direct);
        BenchOutput.say(
                "first 64 KiB of a cold chunk: %.1f ms by a worker, %.1f ms by the lake: %.2f"
                        .formatted(median(through), median(direct), ratio));
        return ratio;
    }

    private static int heldInTheRegion(TestVersion version) {
        return held(own, version) + held(worker, version);
    }

    private static int held(WorkerProcess process, TestVersion version) {
        return client.coverage(process.node(), version.ref().digest()).held().cardinality();
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
