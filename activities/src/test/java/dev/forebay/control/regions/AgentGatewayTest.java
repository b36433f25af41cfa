package dev.forebay.control.regions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.api.ServiceClients;
import dev.forebay.service.gateway.Renewal;
import dev.forebay.testing.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@SuppressWarnings("NullAway.Init")
class AgentGatewayTest {

    private static final RegionName REGION = new RegionName("us-1");

    private final AgentGateway gateway =
            new AgentGateway(
                    new ObjectMapper()
                            .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE),
                    new ServiceClients(Optional.empty()),
                    Settings.of(ControlPlaneConfig.class, Map.of()));
    private HttpServer server;
    private volatile int status = 200;
    private volatile String body = "";

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
                    exchange.getResponseBody().write(bytes);
                    exchange.close();
                });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private Optional<Renewal> renew(int answer, String text) {
        status = answer;
        body = text;
        return gateway.renew(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
                REGION,
                DatasetVersion.parse("ns/data@v1"),
                "p");
    }

    /** The rows of "What agents answer" in docs/failures.md: a pin outlives all of it. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    503 | {"code":"UNAVAILABLE","detail":"etcd is away"} | etcd is away
                    500 | {"code":"INTERNAL","detail":"a defect"}        | a defect
                    400 | {"code":"INVALID_ARGUMENT","detail":"a field"} | a field
                    409 | {"code":"OF_A_LATER_RELEASE","detail":"new"}   | new
                    401 | {"code":"DENIED","detail":"no token"}          | forebay.token-file
                    403 | <html>forbidden</html>                         | forebay.token-file
                    404 | {"code":"OTHER"}                               | 404
                    404 | <html>no route</html>                          | cannot read its answer
                    301 | <html>moved</html>                             | 301
                    502 | <html>bad gateway</html>                       | 502
                    200 | <html>welcome</html>                           | cannot read its answer
                    """)
    void anUnexpectedAnswerDoesNotEndAPin(int answer, String text, String said) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> renew(answer, text))
                .withMessageContaining("forebay.regions.us-1.agent")
                .withMessageContaining(said)
                .matches(e -> e.code() == ErrorCode.UNAVAILABLE && e.retryable());
    }

    @Test
    void renewReturnsTheAnswerOfTheAgent() {
        assertThat(renew(404, "{\"code\":\"NOT_FOUND\"}")).isEmpty();
        assertThat(
                        renew(
                                200,
                                "{\"remaining_seconds\":7,\"holder\":\"h\",\"reason\":\"r\",\"job\":null,\"later\":{}}"))
                .hasValueSatisfying(renewal -> assertThat(renewal.remainingSeconds()).isEqualTo(7));
    }

    @Test
    void anUnreachableAgentIsUnavailable() {
        server.stop(0);
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> renew(200, "{}"))
                .withMessageContaining("ConnectException")
                .matches(e -> e.code() == ErrorCode.UNAVAILABLE);
    }
}
