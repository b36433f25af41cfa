package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.membership.RegionView;
import dev.forebay.transfer.ReadEvents;
import dev.forebay.transfer.RegionReader;
import dev.forebay.transfer.RegionReaderConfig;
import dev.forebay.transfer.WorkerSet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Sources of a version's bytes when several workers may hold a chunk. */
@SuppressWarnings("NullAway.Init") // set before all tests
class CopiesIT extends RunningWorker {

    /** The default of {@code forebay.lake.requests-per-second}. */
    private static final int LAKE_REQUESTS_PER_SECOND = 5000;

    private static final int BYTES = 80 * MIB;

    private static WorkerProcess one;
    private static WorkerProcess two;

    @BeforeAll
    static void start() throws Exception {
        awaitAloneInTheRegion();
        one = workerOfTheClass("copies-1");
        two = workerOfTheClass("copies-2");
        String _ = liveId(one);
        String _ = liveId(two);
    }

    @Test
    void workersCopyAHotVersionFromItsOwnersAndReadersUseAllCopies() throws Exception {
        byte[] bytes = random(81, BYTES);
        region.put("hot/object", bytes);
        TestVersion version = mounted("hot");
        awaitMounted(one, version);
        awaitMounted(two, version);
        region.state.replicate(version.name(), 3);
        await(() -> region.state.view().replicas().containsValue(3));
        // A worker that does not know the other workers or the copies would read the lake itself.
        for (WorkerProcess each : List.of(worker, one, two)) {
            awaitCaughtUp(each);
            awaitEqualShareOfTheLake(each);
        }

        // No worker has a chunk yet, and each reader picks a copy at random. Each byte still comes
        // from the lake only once.
        await(
                () -> {
                    assertThat(readAll(version)).isEqualTo(bytes);
                    return Stream.of(worker, one, two)
                            .allMatch(each -> held(each, version) > version.chunks().size() / 2);
                });

        assertThat(fromLake(version)).isEqualTo(BYTES);
        for (WorkerProcess each : List.of(worker, one, two)) {
            assertThat(each.metric("forebay_worker_served_bytes_total")).isPositive();
        }
    }

    /**
     * Readers ask another worker if the owner is slow, or if they do not know the region's state.
     */
    @Test
    void aWorkerLetsTheOwnerOfAChunkFetchItFromTheLake() throws Exception {
        byte[] bytes = random(83, BYTES);
        region.put("astray/object", bytes);
        TestVersion version = mounted("astray");
        List<WorkerProcess> both = List.of(worker, one);
        for (WorkerProcess each : List.of(worker, one, two)) {
            awaitCaughtUp(each);
        }

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> reads = new ArrayList<>();
            for (ChunkRef ref : version.chunks()) {
                for (WorkerProcess each : both) {
                    reads.add(threads.submit(() -> readFrom(each, version, ref, bytes)));
                }
            }
            for (Future<?> each : reads) {
                each.get();
            }
        }

        assertThat(fromLake(version)).isEqualTo(BYTES);
    }

    private static void readFrom(
            WorkerProcess process, TestVersion version, ChunkRef ref, byte[] bytes) {
        int from = Math.toIntExact(ref.chunk().start());
        ByteBuffer target = ByteBuffer.allocate(MIB);
        client.read(
                process.node(),
                version.ref().digest(),
                version.pack().id(),
                from,
                from + MIB,
                target);
        assertThat(target.array()).isEqualTo(Arrays.copyOfRange(bytes, from, from + MIB));
    }

    /**
     * Waits until a worker has its share of the region's lake requests, and therefore knows the
     * other workers.
     */
    private void awaitEqualShareOfTheLake(WorkerProcess process) throws Exception {
        await(
                () -> {
                    double all =
                            process.metric("forebay_worker_lake_pace")
                                    * region.state.view().live().size();
                    return Math.round(all) == LAKE_REQUESTS_PER_SECOND;
                });
    }

    private static long fromLake(TestVersion version) {
        return region.state.view().workers().stream()
                .mapToLong(
                        each ->
                                client.coverage(each, version.ref().digest())
                                        .bytesFromLake()
                                        .getOrDefault(version.name(), 0L))
                .sum();
    }

    /** Reads like a node. */
    private static byte[] readAll(TestVersion version) {
        RegionView view = region.state.view();
        WorkerSet known = new WorkerSet(view.workers(), view.live(), view.replicas());
        ByteBuffer target = ByteBuffer.allocate((int) version.pack().bytes());
        new RegionReader(client, () -> known, RegionReaderConfig.defaults(), ReadEvents.NONE)
                .read(version.ref().digest(), version.pack().id(), 0, target.capacity(), target);
        return Arrays.copyOf(target.array(), BYTES);
    }

    private static long held(WorkerProcess process, TestVersion version) {
        return client.coverage(process.node(), version.ref().digest()).held().cardinality();
    }
}
