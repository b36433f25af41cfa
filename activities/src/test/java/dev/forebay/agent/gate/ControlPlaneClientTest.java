package dev.forebay.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.PinOwner;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.service.api.ServiceClients;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The requests on the wire. TrainingPodsKubeIT uses a real control plane. */
@SuppressWarnings("NullAway.Init")
class ControlPlaneClientTest {

    private static final PinOwner HOLDER = new PinOwner("Job", "team-a", "train", "uid-1");
    private static final DatasetVersion VERSION = DatasetVersion.parse("search/ko-bert@v1");
    private static final Gang GANG = gang(Optional.empty(), false);

    private record Asked(String method, String path, String key, JsonNode body) {}

    private final List<Asked> asked = Collections.synchronizedList(new ArrayList<>());
    private HttpServer server;
    private volatile String answer = "{\"receipt\": {\"path\": \"/p\", \"cold\": null}}";

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    asked.add(
                            new Asked(
                                    exchange.getRequestMethod(),
                                    exchange.getRequestURI().getPath(),
                                    String.valueOf(
                                            exchange.getRequestHeaders()
                                                    .getFirst("Idempotency-Key")),
                                    new ObjectMapper().readTree(exchange.getRequestBody())));
                    byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(200, bytes.length);
                    exchange.getResponseBody().write(bytes);
                    exchange.close();
                });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static Gang gang(Optional<Duration> deadline, boolean runsCold) {
        return new Gang(HOLDER, new PodVersionRequest(VERSION, deadline, runsCold, false));
    }

    private ControlPlaneClient controlPlane() {
        return controlPlane("");
    }

    private ControlPlaneClient controlPlane(String purpose) {
        return new ControlPlaneClient(
                URI.create("http://127.0.0.1:%d/".formatted(server.getAddress().getPort())),
                new ServiceClients(Optional.empty()),
                new RegionName("us"),
                purpose,
                Duration.ofHours(1),
                Duration.ofSeconds(10));
    }

    @Test
    void ensureRequestsTheVersionAndAPinOfTheHolder() throws IOException {
        assertThat(controlPlane().ensure(gang(Optional.of(Duration.ofMinutes(2)), true)))
                .isEqualTo(new RequestAnswer.Warm("/p"));

        Asked request = asked.getFirst();
        assertThat(request.path()).isEqualTo("/api/v1/datasets/search/ko-bert/versions/v1/ensure");
        assertThat(request.body())
                .isEqualTo(
                        new ObjectMapper()
                                .readTree(
                                        """
                                        {"region": "us", "run_id": "Job team-a/train",
                                         "deadline_seconds": 120, "on_deadline": "run_cold",
                                         "pin": {"id": "job-uid-1", "holder": "Job team-a/train", "reason": "training",
                                                 "lease_seconds": 3600, "job": "uid-1"}}
                                        """));
    }

    @Test
    void ensureRequestsCreationIfTheGangWantsIt() {
        controlPlane()
                .ensure(
                        new Gang(
                                HOLDER,
                                new PodVersionRequest(VERSION, Optional.empty(), false, true)));

        assertThat(asked.getFirst().body().path("create").asBoolean()).isTrue();
    }

    @Test
    void onlyEqualEnsuresHaveTheSameIdempotencyKey() {
        controlPlane().ensure(GANG);
        controlPlane().ensure(GANG);
        controlPlane().ensure(gang(Optional.of(Duration.ofMinutes(2)), false));

        assertThat(asked.get(1).key()).isEqualTo(asked.get(0).key()).startsWith("job-uid-1-");
        assertThat(asked.get(2).key()).isNotEqualTo(asked.get(0).key());
        assertThat(asked)
                .extracting(Asked::key)
                .allMatch(key -> key.matches("[A-Za-z0-9._-]{1,64}"));
    }

    @Test
    void aCancellationNamesTheKeyOfItsRequest() {
        controlPlane().ensure(GANG);
        controlPlane().cancel(GANG);

        Asked request = asked.get(1);
        assertThat(request.method()).isEqualTo("DELETE");
        assertThat(request.path())
                .isEqualTo(
                        "/api/v1/datasets/search/ko-bert/versions/v1/requests/"
                                + asked.get(0).key());
    }

    /** Otherwise the cancellation of waiting pods would cancel the request of running ones. */
    @Test
    void anotherPurposeGetsAnotherRequestKeyForTheSamePin() {
        controlPlane().ensure(GANG);
        controlPlane("run-").ensure(GANG);

        assertThat(asked.get(1).body()).isEqualTo(asked.get(0).body());
        assertThat(asked.get(1).key()).isEqualTo("run-" + asked.get(0).key());
    }

    @Test
    void isBlockedReadsTheStateOfTheRegion() {
        answer =
                """
                {"regions": [{"region": "eu", "state": "CACHED"}, {"region": "us", "state": "BLOCKED"}]}
                """;
        assertThat(controlPlane().isBlocked(GANG)).isTrue();
        Asked request = asked.getFirst();
        assertThat(request.method()).isEqualTo("GET");
        assertThat(request.path()).isEqualTo("/api/v1/datasets/search/ko-bert/versions/v1");

        answer = "{\"regions\": [{\"region\": \"us\", \"state\": \"WARMING\"}]}";
        assertThat(controlPlane().isBlocked(GANG)).isFalse();
        answer = "{\"regions\": []}";
        assertThat(controlPlane().isBlocked(GANG)).isFalse();
        answer = "<html>a proxy</html>";
        assertThat(controlPlane().isBlocked(GANG)).isTrue();
    }

    @Test
    void aMissingOrUnreadableAnswerCountsAsUnavailable() {
        answer = "<html>a proxy</html>";
        assertThat(controlPlane().ensure(GANG))
                .isEqualTo(
                        new RequestAnswer.Refused(
                                "UNAVAILABLE", "cannot read the control plane's answer"));

        server.stop(0);
        assertThat(controlPlane().ensure(GANG))
                .isInstanceOfSatisfying(
                        RequestAnswer.Refused.class,
                        refused -> assertThat(refused.code()).isEqualTo("UNAVAILABLE"));
        assertThatCode(() -> controlPlane().cancel(GANG)).doesNotThrowAnyException();
    }
}
