package dev.forebay.benchmarks.stack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * Calls the REST API for one region. A refused call ends the run. If Temporal or PostgreSQL is too
 * busy to answer, the call is repeated, and its duration includes that.
 */
public final class ControlPlane implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final String NAMESPACE = "bench";
    private static final int UNAVAILABLE = 503;
    private static final long PAUSE_MILLIS = 200;

    /**
     * HTTP/1.1, with a connection for each caller: a thousand callers exceed the streams of one
     * HTTP/2 connection.
     */
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final URI base;
    private final String region;

    public ControlPlane(URI base, String region) {
        this.base = base;
        this.region = region;
    }

    public void register(String name, String source) throws IOException, InterruptedException {
        send(
                "POST",
                "/datasets",
                Map.of(
                        "namespace", NAMESPACE,
                        "name", name,
                        "source", source,
                        "ttl_seconds", Duration.ofHours(2).toSeconds()));
    }

    /** Waits until every byte of the version is in the region and verified. */
    public void ensure(String name) throws IOException, InterruptedException {
        Instant deadline = Instant.now().plus(TIMEOUT);
        JsonNode answer =
                send("POST", version(name) + "/ensure?wait_seconds=30", Map.of("region", region));
        while (!answer.path("done").asBoolean()) {
            require(Instant.now().isBefore(deadline), "ensure of " + name + " took too long");
            answer =
                    send(
                            "GET",
                            version(name)
                                    + "/requests/"
                                    + answer.path("request_id").asText()
                                    + "?wait_seconds=30&region="
                                    + region,
                            Map.of());
        }
        JsonNode receipt = answer.path("receipt");
        require(
                receipt.path("bytes_verified").equals(receipt.path("bytes")),
                "an incomplete receipt: " + receipt);
    }

    /** Waits until the region holds no byte of the version. */
    public void evict(String name) throws IOException, InterruptedException {
        Instant deadline = Instant.now().plus(TIMEOUT);
        JsonNode status = send("POST", version(name) + "/evict", Map.of("region", region));
        while (!status.at("/regions/0/state").asText().equals("ABSENT")) {
            require(Instant.now().isBefore(deadline), "eviction of " + name + " took too long");
            Thread.sleep(50);
            status = send("GET", version(name), Map.of());
        }
    }

    private static String version(String name) {
        return "/datasets/" + NAMESPACE + "/" + name + "/versions/v1";
    }

    private JsonNode send(String method, String path, Map<String, Object> body)
            throws IOException, InterruptedException {
        HttpRequest.BodyPublisher publisher =
                body.isEmpty()
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body));
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(base + "/api/v1" + path))
                        .timeout(Duration.ofMinutes(1))
                        .header("Content-Type", "application/json")
                        .header("Idempotency-Key", UUID.randomUUID().toString())
                        .method(method, publisher)
                        .build();
        Instant deadline = Instant.now().plus(TIMEOUT);
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        while (answer.statusCode() == UNAVAILABLE && Instant.now().isBefore(deadline)) {
            Thread.sleep(PAUSE_MILLIS);
            answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        }
        require(
                answer.statusCode() < 300,
                "%s %s: HTTP %d %s".formatted(method, path, answer.statusCode(), answer.body()));
        return JSON.readTree(answer.body());
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
