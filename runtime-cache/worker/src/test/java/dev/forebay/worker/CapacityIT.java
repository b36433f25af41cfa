package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.membership.Pin;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A worker with less capacity than the versions need: which chunks it evicts and which it keeps.
 */
@SuppressWarnings("NullAway.Init") // set before all tests
class CapacityIT extends RunningWorker {

    /** Has capacity for six chunks. */
    private static WorkerProcess small;

    @BeforeAll
    static void start() {
        small = workerOfTheClass("small", "forebay.worker.capacity=50M");
    }

    @Test
    void aPinnedVersionIsNeitherDroppedNorEvicted() throws Exception {
        region.put("pinned/object", random(16, 30 * MIB));
        region.put("other/object", random(17, 40 * MIB));
        TestVersion pinned = mounted("pinned");
        TestVersion other = mounted("other");
        region.state.pin(new Pin(pinned.name(), "p1", "job-1", "training", Duration.ofMinutes(5)));
        WorkerProcess own = small;
        awaitCaughtUp(own);
        fillAll(own, pinned);

        HttpResponse<byte[]> dropped = own.send("DELETE", pinned.manifestPath() + "/chunks");
        fillAll(own, other);

        assertProblem(dropped, 409, ErrorCode.PINNED);
        assertThat(client.coverage(own.node(), pinned.ref().digest()).held().cardinality())
                .isEqualTo(pinned.chunks().size());
        assertThat(own.metric("forebay_worker_store_evicted_chunks_total")).isPositive();
    }

    @Test
    void aFillFailsWhenPinnedChunksTakeTheWholeCapacity() {
        region.put("full/object", random(18, 60 * MIB));
        TestVersion version = mounted("full");
        region.state.pin(new Pin(version.name(), "p1", "job-1", "training", Duration.ofMinutes(5)));
        awaitCaughtUp(small);

        try {
            assertThatThrownBy(() -> fillAll(small, version))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED));
        } finally {
            region.state.unpin(version.name(), "p1");
        }
    }

    private static void fillAll(WorkerProcess process, TestVersion version) {
        for (ChunkRef ref : version.chunks()) {
            client.fill(process.node(), version.ref().digest(), ref.chunk());
        }
    }
}
