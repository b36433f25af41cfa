package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.membership.Pin;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * semantics.md, "A worker that was stopped": a worker stopped by SIGSTOP for longer than its lease.
 * It neither drops nor fetches chunks based on its earlier state.
 */
@SuppressWarnings("NullAway.Init") // set before all tests
class StoppedWorkerIT extends RunningWorker {

    private static WorkerProcess own;

    @BeforeAll
    static void start() {
        own = workerOfTheClass("asleep", "forebay.worker.peers.attempts=0");
    }

    @Test
    void aResumedWorkerDoesNotDropAVersionThatWasPinnedMeanwhile() throws Exception {
        region.put("asleep-drop/object", random(90, 8 * MIB));
        TestVersion version = mounted("asleep-drop");
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().getFirst().chunk());
        region.state.beginEviction(version.name());
        awaitCaughtUp(own);
        int chunks = own.chunkFiles(version.pack().id()).size();
        String id = liveId(own);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<HttpResponse<byte[]>> late;
            own.pause();
            try {
                late = threads.submit(() -> own.send("DELETE", version.manifestPath() + "/chunks"));
                region.state.unmount(version.name());
                region.state.mount(version.name(), version.ref());
                region.state.pin(
                        new Pin(version.name(), "p", "job", "test", Duration.ofMinutes(5)));
                awaitTakenForDead(id);
            } finally {
                own.resume();
            }

            assertThat(late.get().statusCode()).isIn(409, 503);
            assertThat(own.chunkFiles(version.pack().id())).hasSize(chunks);
        }
        // The worker sees the unmount first and the new mount after it.
        awaitCaughtUp(own);
        await(() -> client.coverage(own.node(), version.ref().digest()).held().get(0));
    }

    @Test
    void aResumedWorkerDoesNotFetchChunksThatOthersFetchedMeanwhile() throws Exception {
        region.put("asleep-fetch/object", random(91, 40 * MIB));
        TestVersion version = mounted("asleep-fetch");
        awaitMounted(own, version);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<HttpResponse<byte[]>>> late = new ArrayList<>();
            String id = liveId(own);
            own.pause();
            int reads;
            try {
                for (ChunkRef ref : version.chunks()) {
                    late.add(threads.submit(() -> own.send("PUT", fillPath(version, ref))));
                }
                for (ChunkRef ref : version.chunks()) {
                    client.fill(worker.node(), version.ref().digest(), ref.chunk());
                }
                reads = region.reads("asleep-fetch/").size();
                awaitTakenForDead(id);
                // Without etcd the worker cannot register again before it handles a request.
                region.etcd.pause();
            } finally {
                own.resume();
            }
            try {
                for (Future<HttpResponse<byte[]>> each : late) {
                    assertThat(each.get().statusCode()).isEqualTo(503);
                }
            } finally {
                region.etcd.resume();
            }
            assertThat(region.reads("asleep-fetch/")).hasSize(reads);
        }
        // Once it is registered again, it fills like any other worker.
        await(
                () ->
                        own.send("PUT", fillPath(version, version.chunks().getFirst())).statusCode()
                                == 200);
    }

    private static String fillPath(TestVersion version, ChunkRef ref) {
        return "/v1/packs/%s/chunks/%d?manifest=%s"
                .formatted(ref.chunk().pack(), ref.chunk().index(), version.ref().digest());
    }
}
