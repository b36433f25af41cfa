package dev.forebay.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A test client of the control plane's REST API. */
final class Api {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Longer than the start of a process and its dependencies on a busy machine. */
    private static final Duration STUBBORNNESS = Duration.ofMinutes(2);

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI base;
    private final Optional<String> token;

    Api(URI base, Optional<String> token) {
        this.base = base;
        this.token = token;
    }

    /** A response with any status. */
    record Answer(int status, JsonNode body) {

        Answer expect(int wanted) {
            if (status != wanted) {
                throw new AssertionError(
                        "expected HTTP %d, got %d: %s".formatted(wanted, status, body));
            }
            return this;
        }

        String code() {
            return body.path("code").asText();
        }
    }

    Answer get(String path) throws IOException, InterruptedException {
        return send("GET", path, null, null);
    }

    Answer post(String path, Object body) throws IOException, InterruptedException {
        return send("POST", path, body, null);
    }

    Answer put(String path, Object body) throws IOException, InterruptedException {
        return send("PUT", path, body, null);
    }

    Answer delete(String path) throws IOException, InterruptedException {
        return send("DELETE", path, null, null);
    }

    Answer send(String method, String path, @Nullable Object body, @Nullable String idempotencyKey)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + "/api/v1" + path))
                        .timeout(Duration.ofSeconds(60))
                        .header("Content-Type", "application/json")
                        .method(
                                method,
                                body == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(
                                                body instanceof String text
                                                        ? text
                                                        : JSON.writeValueAsString(body)));
        token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
        if (idempotencyKey != null) {
            request.header("Idempotency-Key", idempotencyKey);
        }
        HttpResponse<String> response =
                http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        String text = response.body();
        return new Answer(
                response.statusCode(), text.isEmpty() ? JSON.nullNode() : JSON.readTree(text));
    }

    void register(String dataset, String source, Duration ttl)
            throws IOException, InterruptedException {
        int slash = dataset.indexOf('/');
        Answer answer =
                post(
                        "/datasets",
                        Map.of(
                                "namespace",
                                dataset.substring(0, slash),
                                "name",
                                dataset.substring(slash + 1),
                                "source",
                                source,
                                "ttl_seconds",
                                ttl.toSeconds()));
        if (answer.status() != 200) {
            answer.expect(201);
        }
    }

    /** Returns the API path of a version {@code ns/name@v}. */
    static String path(String version) {
        return "/datasets/" + version.replace("@", "/versions/");
    }

    /**
     * Sends the request and returns its id, without waiting for the result. Retries while the API
     * is not reachable. Creates the version if its dataset has other versions but not this one.
     */
    String accept(String version, Map<String, Object> body) throws InterruptedException {
        String key = UUID.randomUUID().toString();
        Map<String, Object> creating = new HashMap<>(body);
        creating.put("create", true);
        stubbornly("POST", path(version) + "/ensure?wait_seconds=0", creating, key);
        return key;
    }

    /** Waits for an accepted request, even while processes restart, and returns its receipt. */
    JsonNode receipt(String version, String region, String requestId, Duration timeout)
            throws InterruptedException {
        Answer answer = outcome(version, region, requestId, timeout);
        return answer.expect(200).body().get("receipt");
    }

    /** Waits until an accepted request is done or refused. */
    Answer outcome(String version, String region, String requestId, Duration timeout)
            throws InterruptedException {
        Instant deadline = Instant.now().plus(timeout);
        while (Instant.now().isBefore(deadline)) {
            Answer answer =
                    stubbornly(
                            "GET",
                            path(version)
                                    + "/requests/"
                                    + requestId
                                    + "?region="
                                    + region
                                    + "&wait_seconds=5",
                            null,
                            null);
            if (answer.status() != 202) {
                return answer;
            }
        }
        throw new AssertionError("request " + requestId + " was not answered within " + timeout);
    }

    JsonNode ensure(String version, String region) throws InterruptedException {
        return receipt(
                version, region, accept(version, Map.of("region", region)), Duration.ofMinutes(2));
    }

    JsonNode residency(String version, String region) throws InterruptedException {
        Answer status = stubbornly("GET", path(version), null);
        for (JsonNode each : status.expect(200).body().get("regions")) {
            if (each.get("region").asText().equals(region)) {
                return each;
            }
        }
        return JSON.nullNode();
    }

    /**
     * Works like {@link #send}, and retries while the API or one of its dependencies is not
     * reachable.
     */
    Answer stubbornly(String method, String path, @Nullable Object body)
            throws InterruptedException {
        return stubbornly(method, path, body, null);
    }

    private Answer stubbornly(
            String method, String path, @Nullable Object body, @Nullable String idempotencyKey)
            throws InterruptedException {
        Instant deadline = Instant.now().plus(STUBBORNNESS);
        while (true) {
            try {
                Answer answer = send(method, path, body, idempotencyKey);
                if (answer.status() != 503 || Instant.now().isAfter(deadline)) {
                    return answer;
                }
            } catch (IOException e) {
                if (Instant.now().isAfter(deadline)) {
                    throw new AssertionError("the API does not answer", e);
                }
            }
            Await.pause();
        }
    }
}
