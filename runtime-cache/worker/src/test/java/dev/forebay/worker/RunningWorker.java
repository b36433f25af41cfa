package dev.forebay.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.Segment;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.transfer.Coverage;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.transfer.ReadAnswer;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/**
 * A packaged worker with a real etcd and a real S3 server, shared by all classes of tests in this
 * JVM and ended with it.
 */
@Timeout(120)
abstract class RunningWorker {

    static final int MIB = 1 << 20;

    static final Path DIRECTORY = newDirectory();
    static TestRegion region = new TestRegion(DIRECTORY);
    static final WorkerClient client = new WorkerClient(Wire.trust(WorkerClientConfig.defaults()));
    static WorkerProcess worker =
            WorkerProcess.start(region, DIRECTORY.resolve("shared"), "worker");

    private static final AtomicInteger MARKERS = new AtomicInteger();
    private static final Set<Class<?>> BEGUN = new HashSet<>();

    private final List<AutoCloseable> toClose = new ArrayList<>();

    /** A class that comes again has failed, and would find what it has left behind. */
    @BeforeAll
    static void beginAnewWithWhoComesAgain(TestInfo test) {
        Class<?> begins = test.getTestClass().orElseThrow();
        if (BEGUN.add(begins)) {
            return;
        }
        worker.close();
        region.close();
        BEGUN.clear();
        BEGUN.add(begins);
        Path _ = newDirectory();
        region = new TestRegion(DIRECTORY);
        worker = WorkerProcess.start(region, DIRECTORY.resolve("shared"), "worker");
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : toClose.reversed()) {
            each.close();
        }
    }

    private static Path newDirectory() {
        try {
            Path directory = Wire.OF_THIS_RUN.directory("running-worker");
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

    WorkerProcess ownWorker(String name, String... properties) {
        return ownWorker(Wire.OF_THIS_RUN, name, properties);
    }

    WorkerProcess ownWorker(Wire wire, String name, String... properties) {
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

    /**
     * Waits until a worker knows of everything that etcd has been told before: all in one order.
     */
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
     * Asks until a condition holds. An exception is "not yet": of a worker that starts, that does
     * not know a version yet, or again.
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

    /** Drops, trying again while the worker has not seen the eviction begin. */
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

    static ReadAnswer read(TestVersion version, ByteBuffer target) {
        return client.read(
                worker.node(),
                version.ref().digest(),
                version.pack().id(),
                0,
                target.remaining(),
                target);
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
