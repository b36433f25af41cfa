package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ForebayException;
import dev.forebay.transfer.FillAnswer;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The state of a worker after kill -9: its chunks, its costs, and the orphans that it removes. One
 * worker is killed once, with one version for each test.
 */
@SuppressWarnings("NullAway.Init") // set before all tests
class KilledWorkerIT extends RunningWorker {

    private static WorkerProcess own;
    private static String id;
    private static int readsOfWarm;
    private static TestVersion warm;
    private static TestVersion evicted;
    private static TestVersion kept;
    private static TestVersion cost;

    @BeforeAll
    static void killAndRestart() throws Exception {
        region.put("warm/object", random(13, 10 * MIB));
        region.put("orphan/object", random(28, 100_000));
        region.put("kept/object", random(29, 100_000));
        region.put("cost/object", random(30, 20 * MIB));
        warm = region.mount("warm", "warm/");
        evicted = region.mount("orphan", "orphan/");
        kept = region.mount("kept", "kept/");
        cost = region.mount("cost", "cost/");
        own =
                workerOfTheClass(
                        "killed",
                        "forebay.worker.peers.attempts=0",
                        "forebay.worker.fill.ahead=0",
                        "forebay.worker.orphans.interval=1s");
        id = status(own).getString("id");
        for (TestVersion version : List.of(warm, evicted, kept)) {
            awaitMounted(own, version);
            for (ChunkRef ref : version.chunks()) {
                client.fill(own.node(), version.ref().digest(), ref.chunk());
            }
        }
        readsOfWarm = region.reads("warm/").size();
        assertThat(own.chunkFiles(evicted.pack().id())).hasSize(1);
        readAndFillFirstChunkOfCost();

        own.kill9();
        region.state.beginEviction(evicted.name());
        region.state.unmount(evicted.name());
        own.restart();
    }

    private static void readAndFillFirstChunkOfCost() throws Exception {
        awaitMounted(own, cost);
        assertThat(fromLake(cost)).isZero();
        assertThat(own.get(cost.readPath(), "Range", "bytes=0-99").statusCode()).isEqualTo(206);
        assertThat(fill(firstOfCost()).bytesFromLake()).isZero();
        assertThat(fromLake(cost)).isEqualTo(8 * MIB);
    }

    @Test
    void aRestartedWorkerServesItsChunksWithoutTheLakeAndKeepsItsId() throws Exception {
        awaitMounted(own, warm);
        HttpResponse<byte[]> answer = own.get(warm.readPath(), "Range", "bytes=0-99");

        assertThat(answer.headers().firstValue("Forebay-Source")).hasValue("cache");
        assertThat(region.reads("warm/")).hasSize(readsOfWarm);
        assertThat(status(own).getString("id")).isEqualTo(id);
    }

    @Test
    void aRestartedWorkerRemovesChunksOfAVersionEvictedWhileItWasDown() throws Exception {
        await(() -> own.chunkFiles(evicted.pack().id()).isEmpty());

        // The worker counts a chunk after its file is gone.
        await(() -> own.metric("forebay_worker_store_orphaned_chunks_total") == 1);
        awaitMounted(own, kept);
        assertThat(client.coverage(own.node(), kept.ref().digest()).held().isEmpty()).isFalse();
    }

    @Test
    void aRestartedWorkerRemembersTheLakeBytesOfAVersionUntilItsEviction() throws Exception {
        awaitMounted(own, cost);
        for (ChunkRef ref : cost.chunks()) {
            fill(ref.chunk());
        }
        assertThat(fromLake(cost)).isEqualTo(20 * MIB);

        region.state.beginEviction(cost.name());
        await(() -> own.send("DELETE", cost.manifestPath() + "/chunks").statusCode() == 200);
        region.state.unmount(cost.name());
        region.state.mount(cost.name(), cost.ref());
        awaitMounted(own, cost);
        await(() -> fromLake(cost) == 0);
        fill(firstOfCost());
        assertThat(fromLake(cost)).isEqualTo(8 * MIB);
    }

    private static ChunkId firstOfCost() {
        return cost.chunks().getFirst().chunk();
    }

    private static FillAnswer fill(ChunkId chunk) {
        return client.fill(own.node(), cost.ref().digest(), chunk);
    }

    /** Returns -1 while the worker does not know the version. */
    private static long fromLake(TestVersion version) {
        try {
            return client.coverage(own.node(), version.ref().digest())
                    .bytesFromLake()
                    .getOrDefault(version.name(), -1L);
        } catch (ForebayException e) {
            return -1;
        }
    }
}
