package dev.forebay.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.membership.RegionView;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.ReadEvents;
import dev.forebay.transfer.RegionReader;
import dev.forebay.transfer.RegionReaderConfig;
import dev.forebay.transfer.WorkerSet;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workers that come and go cost the lake nothing. */
class HandoverIT extends RunningWorker {

    /** The default of {@code forebay.lake.requests-per-second}. */
    private static final int LAKE_REQUESTS_PER_SECOND = 5000;

    private static final int BYTES = 80 * MIB;

    /** Other tests leave registrations behind, as workers that die do. */
    @BeforeEach
    void aloneInTheRegion() throws Exception {
        String shared = id(worker);
        await(
                () -> {
                    RegionView now = region.state.view();
                    now.workers().stream()
                            .map(WorkerNode::id)
                            .filter(id -> !now.live().contains(id))
                            .forEach(region.state::remove);
                    return now.live().equals(Set.of(shared)) && now.workers().size() == 1;
                });
    }

    @Test
    void joiningDrainingAndLeavingWorkersTakeChunksFromOneAnother() throws Exception {
        byte[] bytes = random(80, BYTES);
        region.put("handover/object", bytes);
        TestVersion version = mounted("handover");
        WorkerProcess first = joined("handover-1", version);
        fillAtOwners(version);
        int reads = region.reads("handover/").size();

        WorkerProcess second = joined("handover-2", version);
        WorkerProcess third = joined("handover-3", version, "forebay.worker.drain.on-stop=60s");
        assertThat(fillAtOwners(version)).isZero();
        for (WorkerProcess each : List.of(second, third)) {
            assertThat(held(each, version)).isGreaterThanOrEqualTo(owned(each, version));
        }

        String leaving = id(first);
        long had = held(first, version);
        await(() -> drain(first).getString("state").equals("DRAINED"));
        JsonObject drained = drain(first);
        assertThat(drained.getLong("chunksLeft")).isZero();
        assertThat(drained.getLong("chunksHandedOver")).isEqualTo(had);
        await(() -> region.state.view().workers().stream().noneMatch(w -> w.id().equals(leaving)));
        first.close();
        assertThat(held(version)).isEqualTo(version.chunks().size());

        String stopped = id(third);
        third.close();
        await(() -> region.state.view().workers().stream().noneMatch(w -> w.id().equals(stopped)));
        assertThat(held(version)).isEqualTo(version.chunks().size());

        assertThat(readAll(version)).isEqualTo(bytes);
        assertThat(region.reads("handover/")).hasSize(reads);
    }

    @Test
    void aDrainWhoseTimeIsUpLeavesTheRestAtOnce() throws Exception {
        region.put("late/object", random(82, BYTES));
        TestVersion version = mounted("late");
        WorkerProcess leaving =
                joined(
                        "late-1",
                        version,
                        "forebay.worker.drain.timeout=1ms",
                        "forebay.worker.drain.bytes-per-second=1");
        fillAtOwners(version);
        long had = held(leaving, version);

        await(() -> drain(leaving).getString("state").equals("DRAINED"));

        assertThat(drain(leaving).getLong("chunksLeft")).isEqualTo(had);
    }

    @Test
    void copiesOfAHotVersionAreTakenFromTheOwnerAndReadersSpreadOverThem() throws Exception {
        byte[] bytes = random(81, BYTES);
        region.put("hot/object", bytes);
        TestVersion version = mounted("hot");
        WorkerProcess one = joined("hot-1", version);
        WorkerProcess two = joined("hot-2", version);
        region.state.replicate(version.name(), 3);
        await(() -> region.state.view().replicas().containsValue(3));
        // Who does not know of the others, or of the copies, would ask the lake by himself.
        for (WorkerProcess each : List.of(worker, one, two)) {
            awaitCaughtUp(each);
            awaitEqualShareOfTheLake(each);
        }

        // Nothing is anywhere: whoever is asked first, the lake is asked once for each byte.
        // Each reader draws by lot whom it asks for what.
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

    /** As readers do whom the owner let wait, or whose view of the region is behind. */
    @Test
    void whoIsAskedForWhatAnotherWorkerOwnsHasThatFetchIt() throws Exception {
        byte[] bytes = random(83, BYTES);
        region.put("astray/object", bytes);
        TestVersion version = mounted("astray");
        List<WorkerProcess> both = List.of(worker, joined("astray-1", version));
        for (WorkerProcess each : both) {
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

    private WorkerProcess joined(String name, TestVersion version, String... settings)
            throws Exception {
        WorkerProcess process = ownWorker(name, settings);
        awaitMounted(process, version);
        String id = id(process);
        await(() -> region.state.view().live().contains(id));
        return process;
    }

    /** Together they ask no more of the lake than one alone may. */
    private void awaitEqualShareOfTheLake(WorkerProcess process) throws Exception {
        await(
                () -> {
                    double all =
                            process.metric("forebay_worker_lake_pace")
                                    * region.state.view().live().size();
                    return Math.round(all) == LAKE_REQUESTS_PER_SECOND;
                });
    }

    private static String id(WorkerProcess process) throws Exception {
        return status(process).getString("id");
    }

    private static JsonObject drain(WorkerProcess process) throws Exception {
        return new JsonObject(new String(process.send("POST", "/v1/drain").body(), UTF_8));
    }

    /** As a prewarm does; the bytes that came from the lake. */
    private static long fillAtOwners(TestVersion version) {
        long fromLake = 0;
        for (ChunkRef ref : version.chunks()) {
            WorkerNode owner =
                    Placement.rank(ref.chunk(), region.state.view().workers()).getFirst();
            fromLake += client.fill(owner, version.ref().digest(), ref.chunk()).bytesFromLake();
        }
        return fromLake;
    }

    /** Workers have other ids in each run: seldom, one of them owns nothing. */
    private static long owned(WorkerProcess process, TestVersion version) throws Exception {
        String id = id(process);
        List<WorkerNode> workers = region.state.view().workers();
        return version.chunks().stream()
                .filter(ref -> Placement.rank(ref.chunk(), workers).getFirst().id().equals(id))
                .count();
    }

    private static long held(WorkerProcess process, TestVersion version) {
        return client.coverage(process.node(), version.ref().digest()).held().cardinality();
    }

    private static int held(TestVersion version) {
        BitSet held = new BitSet();
        for (WorkerNode each : region.state.view().workers()) {
            held.or(client.coverage(each, version.ref().digest()).held());
        }
        return held.cardinality();
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

    /** As one node reads. */
    private static byte[] readAll(TestVersion version) {
        RegionView view = region.state.view();
        WorkerSet known = new WorkerSet(view.workers(), view.live(), view.replicas());
        ByteBuffer target = ByteBuffer.allocate((int) version.pack().bytes());
        new RegionReader(client, () -> known, RegionReaderConfig.defaults(), ReadEvents.NONE)
                .read(version.ref().digest(), version.pack().id(), 0, target.capacity(), target);
        return Arrays.copyOf(target.array(), BYTES);
    }
}
