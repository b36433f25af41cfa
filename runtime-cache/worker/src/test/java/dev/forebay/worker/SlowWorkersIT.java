package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.Fault;
import dev.forebay.devstack.fault.FaultProxy;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.ReadAnswer;
import dev.forebay.transfer.ReadEvents;
import dev.forebay.transfer.RegionFiles;
import dev.forebay.transfer.RegionFilesConfig;
import dev.forebay.transfer.RegionReader;
import dev.forebay.transfer.RegionReaderConfig;
import dev.forebay.transfer.WorkerSet;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** semantics.md, "How long a read waits for a worker"; prints the figures. */
@SuppressWarnings("NullAway.Init") // set before all tests
class SlowWorkersIT extends RunningWorker {

    private static final int THREADS = 4;
    private static final int READS = 50;
    private static final int BYTES = 64 << 10;
    private static final byte[] CONTENT = random(70, 40 * MIB);

    private static WorkerProcess slow;
    private static WorkerProcess quick;

    private final AtomicInteger hedges = new AtomicInteger();

    /** A version on two workers, the first of which becomes slow. */
    private record Two(TestVersion version, WorkerNode slowNode, WorkerNode quickNode) {

        /**
         * Fills each chunk at its owner, and with {@code copies} also at the other worker. A worker
         * that was stopped by the previous test refuses until it has read the region's state.
         */
        void fill(boolean copies) {
            for (ChunkRef ref : version.chunks()) {
                List<WorkerNode> ranked = Placement.rank(ref.chunk(), List.of(slowNode, quickNode));
                for (WorkerNode worker : copies ? ranked : ranked.subList(0, 1)) {
                    Digest digest = version.ref().digest();
                    await(() -> client.fill(worker, digest, ref.chunk()).liveBytes() > 0);
                }
            }
        }
    }

    /** Starts the workers with fixed timeouts for each other, because these affect the figures. */
    @BeforeAll
    static void start() throws Exception {
        String[] timeout = {
            "forebay.worker.peers.first-byte=500ms",
            "forebay.worker.peers.timeout=2s",
            "forebay.worker.peers.back-off=1s"
        };
        slow = workerOfTheClass("slow", timeout);
        quick = workerOfTheClass("quick", timeout);
    }

    private Two mountedOnBoth(String name) throws Exception {
        region.put(name + "/object", CONTENT);
        TestVersion version = mounted(name);
        awaitMounted(slow, version);
        awaitMounted(quick, version);
        return new Two(version, node(slow, slow.address()), node(quick, quick.address()));
    }

    private static WorkerNode node(WorkerProcess worker, URI address) throws Exception {
        return new WorkerNode(status(worker).getString("id"), address, 1 << 30);
    }

    @Test
    void readTimesStayBoundedWhenAStoppedWorkerHasCopiesElsewhere() throws Exception {
        Two two = mountedOnBoth("stopped-copies");
        two.fill(true);
        slow.pause();
        try {
            measure("stopped (SIGSTOP), copies elsewhere", two, two.slowNode);
        } finally {
            slow.resume();
        }
    }

    @Test
    void readTimesStayBoundedWhenAStoppedWorkerHasTheOnlyCopy() throws Exception {
        Two two = mountedOnBoth("stopped-only");
        two.fill(false);
        slow.pause();
        try {
            measure("stopped (SIGSTOP), the only copy", two, two.slowNode);
        } finally {
            slow.resume();
        }
    }

    @Test
    void readTimesStayBoundedWhenATricklingWorkerHasTheOnlyCopy() throws Exception {
        Two two = mountedOnBoth("trickling");
        two.fill(false);
        try (FaultProxy proxy = FaultProxy.before(slow.address())) {
            proxy.spoil(
                    request ->
                            request.target().startsWith("/v1/packs/")
                                    ? new Fault.Slow(1000)
                                    : Fault.NONE);
            measure(
                    "trickling (1,000 bytes/s), the only copy",
                    two,
                    new WorkerNode(two.slowNode.id(), proxy.endpoint(), 1 << 30));
        }
    }

    @Test
    void readTimesStayBoundedWhenAKilledWorkerStillCountsAsLive() throws Exception {
        Two two = mountedOnBoth("killed");
        two.fill(false);
        slow.kill9();
        try {
            measure("killed, the only copy", two, two.slowNode);
        } finally {
            slow.restart();
        }
    }

    /** A node asks any worker first. It does not again ask first a worker that did not answer. */
    @Test
    void aStoppedWorkerDoesNotDelayManifestsAndImages(@TempDir Path directory) throws Exception {
        Two two = mountedOnBoth("stopped-files");
        WorkerSet known =
                new WorkerSet(
                        List.of(two.slowNode, two.quickNode),
                        Set.of(two.slowNode.id(), two.quickNode.id()));
        Digest manifest = two.version.ref().digest();
        Path file = directory.resolve("file");
        slow.pause();
        try {
            for (int node = 0; node < 8; node++) {
                RegionFiles files =
                        new RegionFiles(client, () -> known, RegionFilesConfig.defaults());
                long before = System.nanoTime();
                files.manifest(manifest, file);
                long manifestNanos = System.nanoTime() - before;
                assertThat(file).hasSameBinaryContentAs(two.version.file());
                Digest image = files.image(two.version.name(), manifest, file);
                long nanos = System.nanoTime() - before;
                assertThat(ManifestFile.digestOf(file)).isEqualTo(image);
                BenchOutput.say(
                        "slow worker, stopped (SIGSTOP): manifest %.1f ms, image %.1f ms"
                                .formatted(manifestNanos / 1e6, (nanos - manifestNanos) / 1e6));
                assertThat(Duration.ofNanos(nanos)).isLessThan(Duration.ofSeconds(5));
            }
        } finally {
            slow.resume();
        }
    }

    private void measure(String what, Two two, WorkerNode bad) throws Exception {
        WorkerSet known =
                new WorkerSet(List.of(bad, two.quickNode), Set.of(bad.id(), two.quickNode.id()));
        RegionReader reader =
                new RegionReader(client, () -> known, RegionReaderConfig.defaults(), events());
        List<Long> waits = Collections.synchronizedList(new ArrayList<>());
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> readers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(i);
                readers.add(threads.submit(() -> read(two, reader, random, waits)));
            }
            for (Future<?> each : readers) {
                each.get();
            }
        }
        List<Long> sorted = waits.stream().sorted().toList();
        BenchOutput.say(
                "slow worker, %s: %d reads, median %.1f ms, 95 %% %.1f ms, longest %.1f ms, %d asked a second worker"
                        .formatted(
                                what,
                                sorted.size(),
                                sorted.get(sorted.size() / 2) / 1e6,
                                sorted.get(sorted.size() * 95 / 100) / 1e6,
                                sorted.getLast() / 1e6,
                                hedges.get()));
        assertThat(sorted).hasSize(THREADS * READS);
        assertThat(Duration.ofNanos(sorted.getLast())).isLessThan(Duration.ofSeconds(15));
        assertThat(Duration.ofNanos(sorted.get(sorted.size() / 2)))
                .isLessThan(Duration.ofSeconds(2));
        assertThat(hedges.get()).isLessThanOrEqualTo(10 + THREADS * READS / 20);
    }

    private static void read(Two two, RegionReader reader, Random random, List<Long> waits) {
        for (int i = 0; i < READS; i++) {
            int from = random.nextInt(CONTENT.length / BYTES) * BYTES;
            ByteBuffer target = ByteBuffer.allocate(BYTES);
            long before = System.nanoTime();
            reader.read(
                    two.version.ref().digest(),
                    two.version.pack().id(),
                    from,
                    from + BYTES,
                    target);
            waits.add(System.nanoTime() - before);
            assertThat(target.array()).isEqualTo(Arrays.copyOfRange(CONTENT, from, from + BYTES));
        }
    }

    private ReadEvents events() {
        return new ReadEvents() {
            @Override
            public void answered(WorkerNode worker, ReadAnswer answer) {}

            @Override
            public void failedAttempt(WorkerNode worker, ForebayException failure) {}

            @Override
            public void hedged(WorkerNode worker, boolean won) {
                hedges.incrementAndGet();
            }
        };
    }
}
