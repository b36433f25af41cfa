package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.Fault;
import dev.forebay.devstack.fault.FaultProxy;
import dev.forebay.model.ErrorCode;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Answers and shutdown of a worker while the lake holds back its answers. */
@SuppressWarnings("NullAway.Init") // set before all tests
class SlowLakeIT extends RunningWorker {

    private static FaultProxy lake;

    /** Serves two requests at once, and queues two more. */
    private static WorkerProcess narrow;

    @BeforeAll
    static void start() {
        lake = FaultProxy.before(region.s3.endpoint());
        narrow =
                workerOfTheClass(
                        "narrow",
                        "forebay.lake.endpoint=" + lake.endpoint(),
                        "forebay.worker.requests.concurrency=2",
                        "forebay.worker.requests.queue=2",
                        "forebay.worker.peers.attempts=0");
    }

    @AfterAll
    static void closeProxy() {
        lake.close();
    }

    @Test
    void readsThatWaitForTheLakeDoNotDelayCachedReads() throws Exception {
        region.put("stuck/object", random(25, 20 * MIB));
        TestVersion version = mounted("stuck");
        WorkerProcess own = narrow;
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().get(0).chunk());
        String missing = "bytes=%d-%d".formatted(8 * MIB, 8 * MIB + 99);
        region.s3.pause();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<HttpResponse<byte[]>>> waiting = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                waiting.add(threads.submit(() -> own.get(version.readPath(), "Range", missing)));
            }
            await(() -> waiting.stream().anyMatch(Future::isDone));

            HttpResponse<byte[]> refused =
                    waiting.stream().filter(Future::isDone).findFirst().orElseThrow().get();
            assertProblem(refused, 503, ErrorCode.UNAVAILABLE);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(own.get(version.readPath(), "Range", "bytes=0-99").statusCode())
                    .isEqualTo(206);
            region.s3.resume();
            for (Future<HttpResponse<byte[]>> answer : waiting) {
                assertThat(answer.get().statusCode()).isIn(206, 503);
            }
        } finally {
            region.s3.resume();
        }
    }

    @Test
    void requestsThatWaitForAManifestDoNotDelayCachedReads() throws Exception {
        region.put("here/object", random(31, MIB));
        region.put("coming/object", random(32, MIB));
        TestVersion here = mounted("here");
        WorkerProcess own = narrow;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            awaitMounted(own, here);
            client.fill(own.node(), here.ref().digest(), here.chunks().getFirst().chunk());
            CountDownLatch asked = new CountDownLatch(1);
            CountDownLatch comes = new CountDownLatch(1);
            lake.spoil(
                    request -> {
                        if (request.target().startsWith("/" + TestRegion.MANIFESTS + "/")) {
                            asked.countDown();
                            awaitQuietly(comes);
                        }
                        return Fault.NONE;
                    });
            TestVersion coming = mounted("coming");
            List<Future<HttpResponse<byte[]>>> waiting = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                waiting.add(threads.submit(() -> own.get(coming.manifestPath())));
            }
            try {
                asked.await();
                for (int i = 0; i < 20; i++) {
                    assertThat(own.get(here.readPath(), "Range", "bytes=0-99").statusCode())
                            .isEqualTo(206);
                    assertThat(own.get("/v1/status").statusCode()).isEqualTo(200);
                    assertThat(holds(own, here)).isTrue();
                }
            } finally {
                comes.countDown();
                lake.spoil(_ -> Fault.NONE);
            }
            for (Future<HttpResponse<byte[]>> each : waiting) {
                assertThat(each.get().statusCode()).isEqualTo(200);
            }
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean holds(WorkerProcess process, TestVersion version) {
        return !client.coverage(process.node(), version.ref().digest()).held().isEmpty();
    }

    @Test
    void aWorkerThatShutsDownFinishesRunningReads() throws Exception {
        region.put("stopping/object", random(23, 8 * MIB));
        TestVersion version = mounted("stopping");
        WorkerProcess own = ownWorker("stopping", "forebay.worker.peers.attempts=0");
        awaitMounted(own, version);
        region.s3.pause();
        Future<HttpResponse<byte[]>> answer;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            answer = threads.submit(() -> own.get(version.readPath(), "Range", "bytes=0-8388607"));
            await(() -> own.metric("forebay_worker_fills_under_way") > 0);
            Future<?> stopping = threads.submit(own::close);
            await(() -> status(own, "/q/health/ready") != 200);
            region.s3.resume();
            stopping.get();
        } finally {
            region.s3.resume();
        }

        assertThat(answer.get().statusCode()).isEqualTo(206);
        assertThat(answer.get().body()).hasSize(8 * MIB);
    }
}
