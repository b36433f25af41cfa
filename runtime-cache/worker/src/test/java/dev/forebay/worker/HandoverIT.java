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
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workers that join, drain and leave hand over their chunks without reading the lake. */
class HandoverIT extends RunningWorker {

    private static final int BYTES = 80 * MIB;

    @BeforeEach
    void waitForOthersToLeave() throws Exception {
        awaitAloneInTheRegion();
    }

    @Test
    void joiningDrainingAndStoppingWorkersHandOverChunksWithoutTheLake() throws Exception {
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
    void aDrainThatTimesOutEndsAndReportsTheRemainingChunks() throws Exception {
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

    private WorkerProcess joined(String name, TestVersion version, String... settings)
            throws Exception {
        WorkerProcess process = ownWorker(name, settings);
        awaitMounted(process, version);
        String _ = liveId(process);
        return process;
    }

    private static JsonObject drain(WorkerProcess process) throws Exception {
        return new JsonObject(new String(process.send("POST", "/v1/drain").body(), UTF_8));
    }

    /** Fills like a prewarm. Returns the number of bytes that came from the lake. */
    private static long fillAtOwners(TestVersion version) {
        long fromLake = 0;
        for (ChunkRef ref : version.chunks()) {
            WorkerNode owner =
                    Placement.rank(ref.chunk(), region.state.view().workers()).getFirst();
            fromLake += client.fill(owner, version.ref().digest(), ref.chunk()).bytesFromLake();
        }
        return fromLake;
    }

    /**
     * Returns the number of chunks that a worker owns. It may be 0 in rare runs, because each run
     * has other ids.
     */
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

    /** Reads like a node. */
    private static byte[] readAll(TestVersion version) {
        RegionView view = region.state.view();
        WorkerSet known = new WorkerSet(view.workers(), view.live(), view.replicas());
        ByteBuffer target = ByteBuffer.allocate((int) version.pack().bytes());
        new RegionReader(client, () -> known, RegionReaderConfig.defaults(), ReadEvents.NONE)
                .read(version.ref().digest(), version.pack().id(), 0, target.capacity(), target);
        return Arrays.copyOf(target.array(), BYTES);
    }
}
