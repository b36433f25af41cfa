package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.server.S3Server;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The workload of a stack whose programs record loaded classes and hot methods. It does each step
 * of a version's life often enough for the compilers to notice. Each round takes a dataset from the
 * lake, reads it through the mount, and evicts it.
 */
final class TrainingRun {
    static final String REGION = "training";
    static final int ROUNDS = 3;

    private static final String BUCKET = "datasets";
    private static final int LARGE_OBJECTS = 3;
    private static final int LARGE_BYTES = 20 << 20;
    private static final int SMALL_OBJECTS = 400;
    private static final int SMALL_BYTES = 48 << 10;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final long POLL_NANOS = 50_000_000;

    private final Stack stack;
    private final HttpClient http =
            HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).build();

    TrainingRun(Stack stack) {
        this.stack = stack;
    }

    /** Runs all rounds. */
    void run() throws IOException, InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            String name = "round-" + round;
            putObjects(name);
            live(name);
        }
    }

    private void putObjects(String prefix) {
        S3Server lake = stack.lake();
        Random random = new Random(prefix.hashCode());
        for (int i = 0; i < LARGE_OBJECTS; i++) {
            lake.put(BUCKET, "%s/large/%d".formatted(prefix, i), bytes(random, LARGE_BYTES));
        }
        for (int i = 0; i < SMALL_OBJECTS; i++) {
            String key = "%s/small/%d/%d".formatted(prefix, i % 10, i);
            lake.put(BUCKET, key, bytes(random, SMALL_BYTES));
        }
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private void live(String dataset) throws IOException, InterruptedException {
        send(
                "POST",
                "/datasets",
                """
                {"namespace": "training", "name": "%s", "source": "s3://%s/%s/", "ttl_seconds": 3600}
                """
                        .formatted(dataset, BUCKET, dataset));
        String version = "/datasets/training/%s/versions/v1".formatted(dataset);
        String region = "{\"region\": \"%s\"}".formatted(REGION);
        send("POST", version + "/plan", "{\"regions\": [\"%s\"]}".formatted(REGION));
        ensure(version);
        String pin =
                """
                {"region": "%s", "id": "run", "holder": "training", "lease_seconds": 600}
                """
                        .formatted(REGION);
        send("POST", version + "/pins", pin);
        readAll(stack.region(REGION).mountpoint().resolve("training").resolve(dataset));
        send("POST", version + "/pins/run/renew", region);
        send("GET", version + "/pins", "");
        send("GET", version, "");
        send("GET", "/datasets", "");
        send("DELETE", version + "/pins/run?region=" + REGION, "");
        send("POST", version + "/evict", region);
        send("POST", "/regions/%s/sweep".formatted(REGION), "");
    }

    private void ensure(String version) throws IOException, InterruptedException {
        String request = UUID.randomUUID().toString();
        int status =
                send(
                        "POST",
                        version + "/ensure?wait_seconds=30",
                        "{\"region\": \"%s\"}".formatted(REGION),
                        "Idempotency-Key",
                        request);
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (status == 202) {
            if (System.nanoTime() - deadline > 0) {
                throw new DevstackException(
                        "%s was not filled within %s".formatted(version, TIMEOUT));
            }
            String outcome =
                    "%s/requests/%s?region=%s&wait_seconds=30".formatted(version, request, REGION);
            status = send("GET", outcome, "");
        }
    }

    /** Reads all files twice: first from the workers, then from the node cache. */
    private void readAll(Path dataset) throws IOException {
        Path root = dataset.resolve("v1");
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!Files.exists(root)) {
            if (System.nanoTime() - deadline > 0) {
                throw new DevstackException(
                        "%s was not present within %s".formatted(root, TIMEOUT));
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        for (int time = 0; time < 2; time++) {
            List<Path> files;
            try (Stream<Path> tree = Files.walk(root)) {
                files = tree.filter(Files::isRegularFile).toList();
            }
            for (Path file : files) {
                try (InputStream in = Files.newInputStream(file)) {
                    long _ = in.transferTo(OutputStream.nullOutputStream());
                }
            }
        }
    }

    /** Returns the status of the answer, and fails unless it is a success. */
    private int send(String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(stack.api() + "/api/v1" + path))
                        .timeout(TIMEOUT)
                        .header("Content-Type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<String> answer =
                http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new DevstackException(
                    "%s %s was answered with %d: %s"
                            .formatted(method, path, answer.statusCode(), answer.body()));
        }
        return answer.statusCode();
    }
}
