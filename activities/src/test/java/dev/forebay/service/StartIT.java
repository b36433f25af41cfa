package dev.forebay.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.testing.Api;
import dev.forebay.testing.ApiOperation;
import dev.forebay.testing.ApplicationProcess;
import dev.forebay.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The requirements of a start, and the messages if one is missing. */
class StartIT {

    @TempDir Path directory;

    /** Unit tests of the classes that read the settings cover the other properties. */
    @ParameterizedTest(name = "{0} = {1}: {2}")
    @CsvSource({
        "forebay.role, agent, forebay.region must name",
        "forebay.role, control, forebay.role",
        "forebay.warm.concurrency, 0, forebay.warm.concurrency",
        "quarkus.http.host, 0.0.0.0, forebay.token-file must be set",
        "forebay.work-directory, /proc/nowhere, forebay.work-directory"
    })
    void aFailedStartNamesTheProperty(String property, String value, String message) {
        Map<String, String> properties = agent("http://127.0.0.1:9", "127.0.0.1:9");
        if (message.startsWith("forebay.region")) {
            properties.remove("forebay.region");
        }
        properties.put(property, value);

        assertThatThrownBy(
                        () -> ApplicationProcess.start("refused", directory, properties, Map.of()))
                .hasMessageContaining(message)
                .hasMessageNotContaining("\tat ");
    }

    @Test
    void aFailedStartNamesTheVariableOfAnInvalidProxy() {
        Map<String, String> properties = agent("http://127.0.0.1:9", "127.0.0.1:9");
        properties.put("forebay.lake.endpoint", "https://lake.example");
        Map<String, String> environment = Map.of("HTTPS_PROXY", "socks5://127.0.0.1:1080");

        assertThatThrownBy(
                        () ->
                                ApplicationProcess.start(
                                        "refused", directory, properties, environment))
                .hasMessageContaining(
                        "Forebay does not start: HTTPS_PROXY is socks5://127.0.0.1:1080: it must")
                .hasMessageNotContaining("\tat ");
    }

    @Test
    void anAgentIsReadyWithoutTemporalAndWorksOnceItConnects() throws Exception {
        TemporalServer.PortSet ports =
                new TemporalServer.PortSet(Ports.free(), Ports.free(), Ports.free(), Ports.free());
        try (EtcdServer etcd = EtcdServer.start(directory.resolve("etcd"))) {
            Map<String, String> properties =
                    agent(etcd.endpoint().toString(), "127.0.0.1:" + ports.grpc());
            try (ApplicationProcess agent =
                    ApplicationProcess.startAlive(
                            "agent", directory.resolve("agent"), properties)) {
                Api api = new Api(agent.address());
                Await.until("the agent has tried to connect twice", () -> tries(agent.log()) >= 2);
                assertThat(api.get("/q/health/live").status()).isEqualTo(200);
                Await.until("ready", () -> api.get("/q/health/ready").status() == 200);
                assertThat(temporal(api)).isEqualTo("not seen yet");
                assertThat(connected(api)).isEqualTo("0.0");
                assertThat(api.get("/v1/region").status())
                        .as("the agent serves its gateway")
                        .isEqualTo(200);

                try (TemporalServer _ =
                        TemporalServer.start(
                                directory.resolve("temporal"), ports, Launch.Lifetime.THIS_JVM)) {
                    Await.until("it works", () -> temporal(api).equals("in touch"));
                    assertThat(connected(api)).isEqualTo("1.0");
                }
                Await.until("away", () -> temporal(api).equals("away"));
                assertThat(api.get("/q/health/ready").status()).isEqualTo(200);
                assertThat(connected(api)).isEqualTo("0.0");
            }
        }
    }

    private static String temporal(Api api) {
        for (JsonNode check : api.get("/q/health/ready").body().path("checks")) {
            if (check.path("name").asText().equals("temporal")) {
                return check.at("/data/temporal").asText();
            }
        }
        throw new AssertionError("nothing is said of Temporal");
    }

    private static String connected(Api api) {
        return api.get("/q/metrics")
                .raw()
                .body()
                .lines()
                .filter(line -> line.startsWith("forebay_agent_temporal_connected"))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .findFirst()
                .orElseThrow();
    }

    private static long tries(Path log) {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("(forebay.temporal.target)"))
                    .filter(line -> line.contains("did not answer within 1 s"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A stop prevents the polling from starting. */
    @Test
    void anAgentThatWaitsForTemporalStopsOnRequest() {
        try (EtcdServer etcd = EtcdServer.start(directory.resolve("etcd"))) {
            Map<String, String> properties =
                    agent(etcd.endpoint().toString(), "127.0.0.1:" + Ports.free());
            properties.put("forebay.temporal.start-timeout", "10M");
            ApplicationProcess agent =
                    ApplicationProcess.startAlive("agent", directory.resolve("agent"), properties);
            long begun = System.nanoTime();
            agent.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isLessThan(Duration.ofSeconds(14));
        }
    }

    /** Covers the operations of both roles: those of the other role are refused in the same way. */
    @Test
    void everyRequestExceptProbesNeedsTheToken() throws Exception {
        Path token = directory.resolve("token");
        Files.writeString(token, "0123456789abcdef-secret\n");
        try (EtcdServer etcd = EtcdServer.start(directory.resolve("etcd"));
                TemporalServer temporal = TemporalServer.start(directory.resolve("temporal"))) {
            Map<String, String> properties = agent(etcd.endpoint().toString(), temporal.target());
            properties.put("forebay.token-file", token.toString());
            try (ApplicationProcess agent =
                    ApplicationProcess.start("agent", directory, properties, Map.of())) {
                Api api = new Api(agent.address());

                List<ApiOperation> operations =
                        ApiOperation.all().stream()
                                .filter(each -> !each.path().startsWith("/console"))
                                .toList();
                assertThat(operations).hasSizeGreaterThan(40);
                for (ApiOperation each : operations) {
                    Api.Answer refused = api.send(each.method(), each.path(), null);
                    assertThat(refused.status()).as("%s", each).isEqualTo(401);
                    assertThat(refused.text("code")).isEqualTo("DENIED");
                    assertThat(status(api, each, "wrong-wrong-wrong-wrong"))
                            .as("%s", each)
                            .isEqualTo(401);
                    assertThat(status(api, each, "0123456789abcdef-secret"))
                            .as("%s", each)
                            .isNotEqualTo(401);
                }
                ApiOperation region = new ApiOperation("GET", "/v1/region");
                assertThat(operations).contains(region);
                assertThat(status(api, region, "0123456789abcdef-secret")).isEqualTo(200);
                assertThat(api.get("/q/metrics").status()).isEqualTo(401);
                assertThat(api.get("/q/openapi").status()).isEqualTo(401);
                assertThat(api.get("/q/health/../metrics").status()).isEqualTo(401);
                assertThat(api.get("/console/../v1/region").status()).isEqualTo(401);
                for (String disguised :
                        List.of(
                                "/q/health;a/../metrics",
                                "/q/health%3Ba/../metrics",
                                "/q/health/..;a/metrics",
                                "/q/health/..%3Ba/metrics",
                                "/q/health/..%2Fmetrics",
                                "/q/health/%2e%2e/metrics",
                                "/q/health/..%5Cmetrics",
                                "/console/..;a/v1/region",
                                "/console/..%3Ba/v1/region",
                                "/console/..%2Fv1/region",
                                "/console/%2e%2e/v1/region")) {
                    assertThat(api.get(disguised).status()).as(disguised).isIn(400, 401, 404);
                }
                assertThat(api.get("/console").status())
                        .as("only control planes have a console")
                        .isEqualTo(404);
                assertThat(api.get("/q/health/ready").status()).isEqualTo(200);
            }
        }
    }

    private static int status(Api api, ApiOperation operation, String token) {
        String authorization = "Bearer " + token;
        return api.send(operation.method(), operation.path(), null, "Authorization", authorization)
                .status();
    }

    private static Map<String, String> agent(String etcd, String temporal) {
        return new HashMap<>(
                Map.of(
                        "forebay.role", "agent",
                        "forebay.region", "test-1",
                        "forebay.etcd.endpoints", etcd,
                        "forebay.temporal.target", temporal,
                        "forebay.temporal.start-timeout", "1S"));
    }
}
