package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.membership.Membership;
import dev.forebay.membership.Pin;
import dev.forebay.placement.WorkerNode;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * semantics.md, "A worker that was stopped": what one does not do that was stopped with SIGSTOP for
 * longer than its lease and goes on where it was.
 */
class StoppedWorkerIT extends RunningWorker {

    @Test
    void doesNotDropWhatWasMountedAndPinnedMeanwhile() throws Exception {
        region.put("asleep-drop/object", random(90, 8 * MIB));
        TestVersion version = mounted("asleep-drop");
        WorkerProcess own = ownWorker("asleep-drop");
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().getFirst().chunk());
        region.state.beginEviction(version.name());
        awaitCaughtUp(own);
        int chunks = own.chunkFiles().size();
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
            assertThat(own.chunkFiles()).hasSize(chunks);
        }
        // It was told of the version's leaving first, and of its coming back after that.
        awaitCaughtUp(own);
        await(() -> client.coverage(own.node(), version.ref().digest()).held().get(0));
    }

    @Test
    void doesNotFetchWhatOthersFetchedMeanwhile() throws Exception {
        region.put("asleep-fetch/object", random(91, 40 * MIB));
        TestVersion version = mounted("asleep-fetch");
        WorkerProcess own = ownWorker("asleep-fetch", "forebay.worker.peers.attempts=0");
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
                // Or else it may be back among the workers before it comes to a request.
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
        // And it is a worker like any other soon after.
        await(
                () ->
                        own.send("PUT", fillPath(version, version.chunks().getFirst())).statusCode()
                                == 200);
    }

    @Test
    void doesNotTakeThePlaceOfWhoBecameThisWorkerMeanwhile() throws Exception {
        WorkerProcess own = ownWorker("asleep-place");
        String id = liveId(own);
        WorkerNode other = new WorkerNode(id, URI.create("http://127.0.0.1:9"), 1 << 30);
        own.pause();
        try {
            awaitTakenForDead(id);
            try (Membership successor = region.state.join(other)) {
                assertThat(successor.valid()).isTrue();
                own.resume();

                await(() -> own.get("/q/health/ready").statusCode() == 503);
                assertThat(registered(id)).isEqualTo(other);
                assertThat(region.state.view().live()).contains(id);
            }
        } finally {
            own.resume();
            region.state.remove(id);
        }
    }

    @Test
    void doesNotGoOnServingWhatWasUnmountedMeanwhile() throws Exception {
        region.put("asleep-serve/object", random(92, 100_000));
        TestVersion version = mounted("asleep-serve");
        WorkerProcess own = ownWorker("asleep-serve");
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().getFirst().chunk());
        String id = liveId(own);
        own.pause();
        try {
            region.state.beginEviction(version.name());
            region.state.unmount(version.name());
            awaitTakenForDead(id);
        } finally {
            own.resume();
        }

        await(() -> own.get(version.readPath(), "Range", "bytes=0-99").statusCode() == 404);
    }

    private static String liveId(WorkerProcess own) throws Exception {
        String id = status(own).getString("id");
        await(() -> region.state.view().live().contains(id));
        return id;
    }

    private static void awaitTakenForDead(String id) {
        await(() -> !region.state.view().live().contains(id));
    }

    private static WorkerNode registered(String id) {
        return region.state.view().workers().stream()
                .filter(worker -> worker.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static String fillPath(TestVersion version, ChunkRef ref) {
        return "/v1/packs/%s/chunks/%d?manifest=%s"
                .formatted(ref.chunk().pack(), ref.chunk().index(), version.ref().digest());
    }
}
