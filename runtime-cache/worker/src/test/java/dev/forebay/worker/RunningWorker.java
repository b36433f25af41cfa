package dev.forebay.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.Segment;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.Coverage;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;

/**
 * A packaged worker with a real etcd and a real S3 server. All test classes of this JVM share them,
 * and they end with it.
 */
abstract class RunningWorker {

    static final int MIB = 1 << 20;

    static final Path DIRECTORY = newDirectory();
    static final TestRegion region = new TestRegion(DIRECTORY);
    static final WorkerClient client =
            new WorkerClient(TestProtocol.trust(WorkerClientConfig.defaults()));
    static final WorkerProcess worker =
            WorkerProcess.start(region, DIRECTORY.resolve("shared"), "worker");

    private static final AtomicInteger MARKERS = new AtomicInteger();
    private static final List<WorkerProcess> OF_THE_CLASS = new ArrayList<>();

    private final List<AutoCloseable> toClose = new ArrayList<>();

    @AfterAll
    static void closeWorkersOfTheClass() {
        OF_THE_CLASS.reversed().forEach(WorkerProcess::close);
        OF_THE_CLASS.clear();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : toClose.reversed()) {
            each.close();
        }
    }

    private static Path newDirectory() {
        try {
            Path directory = TestProtocol.directory("running-worker");
            if (Files.exists(directory)) {
                try (var earlier = Files.walk(directory)) {
                    for (Path each : earlier.sorted(Comparator.reverseOrder()).toList()) {
                        Files.delete(each);
                    }
                }
            }
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a worker that all tests of a class share. It is closed after the last test. */
    static WorkerProcess workerOfTheClass(TestProtocol wire, String name, String... properties) {
        WorkerProcess started =
                WorkerProcess.start(wire, region, DIRECTORY.resolve(name), name, properties);
        OF_THE_CLASS.add(started);
        return started;
    }

    static WorkerProcess workerOfTheClass(String name, String... properties) {
        return workerOfTheClass(TestProtocol.PLAIN, name, properties);
    }

    /** Starts a worker for one test. It is closed after the test. */
    WorkerProcess ownWorker(String name, String... properties) {
        return ownWorker(TestProtocol.PLAIN, name, properties);
    }

    WorkerProcess ownWorker(TestProtocol wire, String name, String... properties) {
        WorkerProcess own =
                WorkerProcess.start(wire, region, DIRECTORY.resolve(name), name, properties);
        toClose.add(own);
        return own;
    }

    TestVersion mounted(String name) {
        TestVersion version = region.mount(name, name + "/");
        awaitMounted(worker, version);
        return version;
    }

    static void awaitMounted(WorkerProcess process, TestVersion version) {
        awaitStatus(process, version, 200);
    }

    /** Waits until a worker has seen all earlier changes of etcd, which it receives in order. */
    static void awaitCaughtUp(WorkerProcess process) {
        String name = "marker-" + MARKERS.incrementAndGet();
        region.put(name + "/object", name.getBytes(UTF_8));
        TestVersion marker = region.mount(name, name + "/");
        awaitMounted(process, marker);
        region.state.beginEviction(marker.name());
        region.state.unmount(marker.name());
    }

    static void awaitStatus(WorkerProcess process, TestVersion version, int status) {
        await(() -> status(process, version.manifestPath() + "/coverage") == status);
    }

    /**
     * Evaluates a condition until it holds, for at most 30 seconds. An exception counts as "not
     * yet": a worker that starts refuses connections and does not know a version at first.
     */
    static void await(Callable<Boolean> condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        Exception last = null;
        while (System.nanoTime() < deadline) {
            try {
                if (condition.call()) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            } catch (Exception e) {
                last = e;
            }
            LockSupport.parkNanos(10_000_000);
        }
        throw new AssertionError("waited too long", last);
    }

    /**
     * Waits until the shared worker is the only live one, and removes the registrations of dead
     * ones.
     */
    static void awaitAloneInTheRegion() throws Exception {
        String shared = id(worker);
        await(
                () -> {
                    RegionView now = region.state.view();
                    now.workers().stream()
                            .map(WorkerNode::id)
                            .filter(id -> !now.live().contains(id))
                            .forEach(dead -> region.state.remove(dead, Duration.ofSeconds(1)));
                    return now.live().equals(Set.of(shared)) && now.workers().size() == 1;
                });
    }

    static String id(WorkerProcess process) throws Exception {
        return status(process).getString("id");
    }

    /** Waits until a worker is live in the region, and returns its id. */
    static String liveId(WorkerProcess process) throws Exception {
        String id = id(process);
        await(() -> region.state.view().live().contains(id));
        return id;
    }

    /** Waits until a worker's lease has expired. */
    static void awaitTakenForDead(String id) {
        await(() -> !region.state.view().live().contains(id));
    }

    static int status(WorkerProcess process, String path) {
        try {
            return process.get(path).statusCode();
        } catch (Exception e) {
            return -1;
        }
    }

    static JsonObject status(WorkerProcess process) throws Exception {
        return new JsonObject(new String(process.get("/v1/status").body(), UTF_8));
    }

    static Coverage coverage(TestVersion version) {
        return client.coverage(worker.node(), version.ref().digest());
    }

    /**
     * Drops a version's chunks, and retries while the worker has not seen the start of the
     * eviction.
     */
    static DropAnswer drop(TestVersion version) {
        while (true) {
            try {
                return client.drop(worker.node(), version.ref().digest());
            } catch (ForebayException e) {
                if (e.code() != ErrorCode.UNAVAILABLE) {
                    throw e;
                }
            }
        }
    }

    static HttpResponse<byte[]> readObject(TestVersion version, String key) throws Exception {
        Segment place = version.segment(key);
        return worker.get(
                version.readPath(),
                "Range",
                "bytes=%d-%d".formatted(place.packOffset(), place.packOffset() + place.size() - 1));
    }

    static void assertProblem(HttpResponse<byte[]> answer, int status, ErrorCode code) {
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValue("application/problem+json");
        JsonObject problem = new JsonObject(new String(answer.body(), UTF_8));
        assertThat(problem.getString("code")).isEqualTo(code.name());
        assertThat(problem.getInteger("status")).isEqualTo(status);
    }

    static void assertProblem(
            HttpResponse<byte[]> answer, int status, ErrorCode code, String field, String rule) {
        assertProblem(answer, status, code);
        JsonObject problem = new JsonObject(new String(answer.body(), UTF_8));
        assertThat(problem.getString("field")).isEqualTo(field);
        assertThat(problem.getString("detail")).contains(field).contains(rule);
    }

    static byte[] random(int seed, int size) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
