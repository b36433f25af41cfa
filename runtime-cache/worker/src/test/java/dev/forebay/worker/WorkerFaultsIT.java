package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A worker whose surroundings fail. */
class WorkerFaultsIT extends RunningWorker {

    @Test
    void aReadOfAnOverwrittenObjectFailsAndItsNeighboursStayReadable() throws Exception {
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
        // The worker reads the rest of the chunk, with the changed object, after the answer.
        await(() -> worker.metric("forebay_worker_fills_under_way") == 0);
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
    void aColdReadAsksOtherWorkersBeforeTheLake() throws Exception {
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
    void readsContinueWithoutEtcd() throws Exception {
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
    void aRunningAnswerStaysCorrectWhenItsChunkIsDropped() throws Exception {
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
}
