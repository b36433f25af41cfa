package dev.forebay.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.api.ForebayApi;
import dev.forebay.service.api.ServiceClients;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The requests that are sent, and the meaning of their answers. */
@SuppressWarnings("NullAway.Init")
class PlanStepsTest {

    private static final Duration LEASE = Duration.ofMinutes(10);

    private static final String V1 = "/api/v1/datasets/team/digits/versions/v1";
    private static final String PIN = "dataset-" + Samples.UID;
    private static final String NOT_FOUND =
            "{\"code\":\"NOT_FOUND\",\"detail\":\"there is no such thing\"}";

    /** By method and path. All other requests get 404. */
    private final Map<String, String> answers = new HashMap<>();

    /** Requests that get this status instead of 200. */
    private final Map<String, Integer> refusals = new HashMap<>();

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> keys = new CopyOnWriteArrayList<>();
    private final DeclaredDataset declared = Samples.declared(Samples.spec("v1", null, "east"));
    private HttpServer server;
    private ForebayApi api;
    private PlanSteps steps;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        api =
                new ForebayApi(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"),
                        "forebay.datasets.api",
                        new ServiceClients(Optional.empty()),
                        Duration.ofSeconds(10),
                        new ObjectMapper()
                                .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE));
        steps = new PlanSteps(api, LEASE);
    }

    @AfterEach
    void stop() {
        api.close();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        requests.add((request + " " + body).strip());
        String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        if (key != null) {
            keys.add(key);
        }
        int status = refusals.getOrDefault(request, answers.containsKey(request) ? 200 : 404);
        byte[] answer = answers.getOrDefault(request, NOT_FOUND).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    @Test
    void theOperatorReadsTheDatasetAndItsDeclaredVersion() {
        answers.put(
                "GET /api/v1/datasets/team/digits",
                """
                {"namespace":"team","name":"digits","source":"s3://lake/digits/","include":[],"exclude":[],"keys":null,
                "ttl_seconds":3600,"ttl_after":"pin","created_at":"2026-11-01T00:00:00Z","deleted_at":null}""");
        answers.put(
                "GET " + V1,
                """
                {"dataset":"team/digits","version":"v1","manifest":{"digest":"d","uri":"u","objects":2,"bytes":10,"chunks":1},
                "origin":{"frozen_at":"2026-11-19T10:00:00Z"},"regions":[{"region":"east","state":"WARMING","percent":40,
                "bytes_cached":4,"cached_at":null,"blocked":null,"waiting":{"code":"UNAVAILABLE","message":"etcd is away"}}],
                "pins":[{"id":"p","region":"east","holder":"me"}],"later":1}""");

        ObservedDataset seen = steps.observe(declared);

        assertThat(seen.dataset()).contains(Samples.dataset(Samples.URI, null));
        assertThat(seen.tracking()).isEmpty();
        DatasetAnswers.Version version = seen.version().orElseThrow();
        assertThat(version.in("east").orElseThrow().waiting())
                .isEqualTo(new DatasetAnswers.Cause("UNAVAILABLE", "etcd is away"));
        assertThat(version.isPinned("east", "p")).isTrue();
        assertThat(version.isPinned("west", "p")).isFalse();
    }

    @Test
    void theOperatorReadsNoVersionOfAnUnregisteredDataset() {
        assertThat(steps.observe(declared)).isEqualTo(ObservedDataset.NOTHING);
        assertThat(requests).containsExactly("GET /api/v1/datasets/team/digits");
    }

    /** A proxy may answer 404 for a dataset that exists. */
    @Test
    void aNotFoundAnswerOfAProxyCountsAsUnavailable() {
        String observe = "GET /api/v1/datasets/team/digits";
        answers.put(observe, "<h1>Not Found</h1>");
        refusals.put(observe, 404);

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> steps.observe(declared))
                .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    /** Errors of its version no longer matter. */
    @Test
    void theOperatorReadsNoVersionOfADeletedResource() {
        answers.put(
                "GET /api/v1/datasets/team/digits",
                """
                {"source":"s3://lake/digits/","include":[],"exclude":[],"keys":null,"ttl_seconds":3600,"ttl_after":"pin",
                "deleted_at":null}""");

        ObservedDataset seen = steps.observe(Samples.declared(declared.spec(), Samples.NOW));

        assertThat(seen.dataset()).isPresent();
        assertThat(requests).containsExactly("GET /api/v1/datasets/team/digits");
    }

    /** The API checks names. A status that a person has edited must not stop the reconciliation. */
    @Test
    void theOperatorEscapesAndSendsInvalidNames() {
        steps.take(declared, new PlanStep.Release("v 1/..", "a b&c=d"));

        assertThat(requests)
                .last()
                .isEqualTo(
                        "DELETE /api/v1/datasets/team/digits/versions/v%%201%%2F../pins/%s?region=a%%20b%%26c%%3Dd"
                                .formatted(PIN));
    }

    @Test
    void onlyEqualRequestsHaveTheSameKey() {
        answers.put("POST " + V1 + "/ensure", "{}");

        steps.take(declared, new PlanStep.Ask("v1", "east"));
        steps.take(declared, new PlanStep.Ask("v1", "east"));

        assertThat(requests.getFirst())
                .contains("\"region\":\"east\"")
                .contains("\"priority\":\"speculative\"")
                .contains("\"id\":\"" + PIN + "\"")
                .contains("\"lease_seconds\":600");
        assertThat(keys).hasSize(2);
        assertThat(keys.getFirst()).isEqualTo(keys.getLast()).hasSizeLessThanOrEqualTo(64);
        assertThat(declared.request("v2", "east", "speculative", LEASE)).isNotIn(keys);
        // The lease is part of the request, and a key must belong to one request only.
        assertThat(declared.request("v1", "east", "speculative", LEASE.plusSeconds(1)))
                .isNotIn(keys);
    }

    @Test
    void theOperatorRequestsCreationOnlyIfDeclared() {
        answers.put("POST " + V1 + "/ensure", "{}");
        DatasetSpec spec = declared.spec();
        DatasetSpec creating =
                new DatasetSpec(spec.source(), null, "v1", spec.regions(), null, null, null, true);

        steps.take(declared, new PlanStep.Ask("v1", "east"));
        steps.take(Samples.declared(creating), new PlanStep.Ask("v1", "east"));

        assertThat(requests.getFirst()).doesNotContain("create");
        assertThat(requests.getLast()).contains("\"create\":true");
        assertThat(keys.getFirst()).as("it is the same request").isEqualTo(keys.getLast());
    }

    @Test
    void theOperatorRequestsAnEndedPinAgainIfWanted() {
        answers.put("POST " + V1 + "/ensure", "{}");

        steps.take(declared, new PlanStep.Renew("v1", "east", false));
        assertThat(requests).hasSize(1);
        steps.take(declared, new PlanStep.Renew("v1", "east", true));

        assertThat(requests.get(1))
                .isEqualTo("POST %s/pins/%s/renew {\"region\":\"east\"}".formatted(V1, PIN));
        assertThat(requests.getLast()).startsWith("POST " + V1 + "/ensure");
    }

    @Test
    void aReleaseCancelsTheRequestsAndThenRemovesThePin() {
        steps.take(declared, new PlanStep.Release("v1", "east"));

        assertThat(requests)
                .containsExactly(
                        "DELETE %s/requests/%s"
                                .formatted(
                                        V1, declared.request("v1", "east", "interactive", LEASE)),
                        "DELETE %s/requests/%s"
                                .formatted(
                                        V1, declared.request("v1", "east", "speculative", LEASE)),
                        "DELETE %s/pins/%s?region=east".formatted(V1, PIN));
    }

    @Test
    void aRefusalHasTheCodeAndTheMessageOfTheApi() {
        refusals.put("POST /api/v1/datasets", 409);
        answers.put(
                "POST /api/v1/datasets",
                "{\"code\":\"ALREADY_EXISTS\",\"detail\":\"choose another name\"}");

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> steps.take(declared, new PlanStep.Register(Samples.SOURCE)))
                .withMessage("choose another name")
                .matches(e -> e.code() == ErrorCode.ALREADY_EXISTS);
    }

    @Test
    void anUnreachableApiCountsAsUnavailable() {
        server.stop(0);

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> steps.observe(declared))
                .withMessageContaining("forebay.datasets.api")
                .matches(e -> e.code() == ErrorCode.UNAVAILABLE);
    }

    @Test
    void theOperatorDoesNotSendUndeclaredFields() {
        answers.put("PUT /api/v1/datasets/team/digits/tracking", "{}");
        answers.put("PUT /api/v1/datasets/team/digits/ttl", "{}");

        steps.take(declared, new PlanStep.Follow(new DatasetSpec.Tracking(null, true)));
        steps.take(declared, new PlanStep.SetTtl(60L, null));

        assertThat(requests)
                .containsExactly(
                        "PUT /api/v1/datasets/team/digits/tracking {\"paused\":true}",
                        "PUT /api/v1/datasets/team/digits/ttl {\"ttl_seconds\":60}");
    }
}
