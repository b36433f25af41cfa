package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.ReadAnswer;
import dev.forebay.transfer.ReadEvents;
import dev.forebay.transfer.RegionReader;
import dev.forebay.transfer.RegionReaderConfig;
import dev.forebay.transfer.WorkerSet;
import java.io.RandomAccessFile;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A worker that finds and repairs damaged chunks on its disk. */
@SuppressWarnings("NullAway.Init") // set before all tests
class DamageIT extends RunningWorker {

    private static final String DAMAGED = "forebay_worker_store_damaged_chunks_total";
    private static final String FROM_PEERS = "forebay_worker_peer_bytes_total";

    /** Does not scrub, so that a reader finds the damage. */
    private static WorkerProcess unscrubbed;

    @BeforeAll
    static void start() {
        unscrubbed =
                workerOfTheClass(
                        "unscrubbed",
                        "forebay.worker.scrub.bytes-per-second=0",
                        "forebay.worker.peers.attempts=0");
    }

    @Test
    void theScrubFindsAndRepairsDamage() throws Exception {
        byte[] bytes = random(21, 200_000);
        region.put("damaged/object", bytes);
        TestVersion version = mounted("damaged");
        WorkerProcess own =
                ownWorker(
                        "scrubbed",
                        "forebay.worker.scrub.pause=200ms",
                        "forebay.worker.scrub.bytes-per-second=1G",
                        "forebay.worker.peers.attempts=0");
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().get(0).chunk());

        flipBit(own, version, 70_000);

        await(() -> own.metric(DAMAGED) > 0);
        ByteBuffer target = ByteBuffer.allocate((int) version.pack().bytes());
        ReadAnswer _ =
                client.read(
                        own.node(),
                        version.ref().digest(),
                        version.pack().id(),
                        0,
                        target.capacity(),
                        target);
        assertThat(Arrays.copyOf(target.array(), bytes.length)).isEqualTo(bytes);
        // The scrub or the fill for this reader repairs the chunk, whichever comes first.
        await(() -> holds(own, version));
        assertThat(region.reads("damaged/")).hasSize(2);
    }

    @Test
    void aReaderOfADamagedChunkGetsTheRightBytesAndTriggersItsRepair() throws Exception {
        byte[] bytes = random(26, 200_000);
        region.put("bitflip/object", bytes);
        TestVersion version = mounted("bitflip");
        WorkerProcess own = unscrubbed;
        awaitMounted(own, version);
        ChunkId chunk = version.chunks().get(0).chunk();
        client.fill(own.node(), version.ref().digest(), chunk);
        WorkerNode damaged = new WorkerNode("damaged", own.address(), 1 << 30);
        WorkerNode other = new WorkerNode("other", worker.address(), 1);
        assertThat(Placement.rank(chunk, List.of(damaged, other)).getFirst()).isEqualTo(damaged);
        for (List<WorkerNode> workers : List.of(List.of(damaged, other), List.of(damaged))) {
            double mendedBefore = own.metric(DAMAGED);
            flipBit(own, version, 70_000);

            await(
                    () -> {
                        // The reader may hedge and take the other worker's answer: read again.
                        assertThat(readThrough(workers, version, bytes.length)).isEqualTo(bytes);
                        return own.metric(DAMAGED) > mendedBefore;
                    });
            await(() -> holds(own, version));
            HttpResponse<byte[]> again = own.get(version.readPath(), "Range", "bytes=0-199999");
            assertThat(again.headers().firstValue("Forebay-Source")).hasValue("cache");
            assertThat(again.body()).isEqualTo(bytes);
        }
        assertThat(
                        own.metric(
                                "forebay_worker_requests_seconds_count{operation=\"verify\",outcome=\"ok\""))
                .isPositive();
    }

    /** Readers compare each byte until the chunk is complete again, without a read of the lake. */
    @Test
    void aWorkerRepairsADamagedChunkFromAnotherWorkerAndNeverServesIt() throws Exception {
        byte[] bytes = random(28, 200_000);
        region.put("peer-mended/object", bytes);
        TestVersion version = mounted("peer-mended");
        WorkerProcess own = ownWorker("peer-mended", "forebay.worker.scrub.bytes-per-second=0");
        awaitMounted(own, version);
        String id = liveId(own);
        ChunkId chunk = version.chunks().get(0).chunk();
        client.fill(worker.node(), version.ref().digest(), chunk);
        client.fill(own.node(), version.ref().digest(), chunk);
        int reads = region.reads("peer-mended/").size();
        List<WorkerNode> workers = List.of(new WorkerNode(id, own.address(), 1 << 30));
        double damagedBefore = own.metric(DAMAGED);
        double fromPeers = own.metric(FROM_PEERS);

        flipBit(own, version, 70_000);

        await(
                () -> {
                    assertThat(readThrough(workers, version, bytes.length)).isEqualTo(bytes);
                    return own.metric(DAMAGED) > damagedBefore && holds(own, version);
                });
        HttpResponse<byte[]> again = own.get(version.readPath(), "Range", "bytes=0-199999");
        assertThat(again.headers().firstValue("Forebay-Source")).hasValue("cache");
        assertThat(again.body()).isEqualTo(bytes);
        assertThat(region.reads("peer-mended/")).hasSize(reads);
        assertThat(own.metric(FROM_PEERS)).isGreaterThan(fromPeers);
    }

    @Test
    void aWorkerThatDetectsDamageRepairsItBeforeItAnswers() throws Exception {
        byte[] bytes = random(27, 200_000);
        region.put("unaligned-damage/object", bytes);
        TestVersion version = mounted("unaligned-damage");
        WorkerProcess own = unscrubbed;
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().get(0).chunk());
        flipBit(own, version, 70_000);
        String range = "bytes=69999-70001";

        HttpResponse<byte[]> ifCached =
                own.get(version.readPath(), "Range", range, "Cache-Control", "only-if-cached");
        assertProblem(ifCached, 504, ErrorCode.NOT_FOUND);
        assertThat(holds(own, version)).isFalse();
        client.fill(own.node(), version.ref().digest(), version.chunks().get(0).chunk());
        flipBit(own, version, 70_000);

        HttpResponse<byte[]> answer = own.get(version.readPath(), "Range", range);
        assertThat(answer.statusCode()).isEqualTo(206);
        assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(bytes, 69_999, 70_002));
        assertThat(answer.headers().firstValue("Forebay-Source")).hasValue("lake");
    }

    private static void flipBit(WorkerProcess process, TestVersion version, long at)
            throws Exception {
        Path chunk = process.chunkFiles(version.pack().id()).getFirst();
        try (RandomAccessFile file = new RandomAccessFile(chunk.toFile(), "rw")) {
            file.seek(at);
            int is = file.read();
            file.seek(at);
            file.write(is ^ 1);
        }
    }

    /** Reads like a FUSE pod. */
    private static byte[] readThrough(List<WorkerNode> workers, TestVersion version, int bytes) {
        WorkerSet known =
                new WorkerSet(
                        workers, workers.stream().map(WorkerNode::id).collect(Collectors.toSet()));
        ByteBuffer target = ByteBuffer.allocate((int) version.pack().bytes());
        new RegionReader(client, () -> known, RegionReaderConfig.defaults(), ReadEvents.NONE)
                .read(version.ref().digest(), version.pack().id(), 0, target.capacity(), target);
        return Arrays.copyOf(target.array(), bytes);
    }

    private static boolean holds(WorkerProcess process, TestVersion version) {
        return !client.coverage(process.node(), version.ref().digest()).held().isEmpty();
    }
}
