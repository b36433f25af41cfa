package dev.forebay.service.temporal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.fault.TlsRelay;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.devstack.tls.CertificateAuthority.Issued;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import dev.forebay.testing.Api;
import dev.forebay.testing.ApplicationProcess;
import dev.forebay.testing.Await;
import dev.forebay.testing.Settings;
import io.grpc.StatusRuntimeException;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A real Temporal behind a TLS proxy that requires client certificates, because the development
 * server itself has no TLS.
 */
class TemporalTlsIT {

    private static final String NAME = "temporal.example.com";
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    @TempDir static Path directory;

    private static TemporalServer temporal;
    private static CertificateAuthority authority;
    private static Issued client;
    private static Issued stranger;
    private static TlsRelay relay;

    @BeforeAll
    static void start() {
        temporal = TemporalServer.start(directory.resolve("temporal"));
        authority = CertificateAuthority.in(directory.resolve("authority"));
        authority.issue("temporal", "dns:" + NAME);
        client = authority.issue("client", "dns:forebay");
        stranger =
                CertificateAuthority.in(directory.resolve("other")).issue("client", "dns:forebay");
        relay = TlsRelay.before(temporal.target(), authority.context("temporal"));
    }

    @AfterAll
    static void stop() throws IOException {
        relay.close();
        temporal.close();
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        settings.put("forebay.role", "agent");
        settings.put("forebay.temporal.target", relay.target());
        settings.put("forebay.temporal.tls.enabled", "true");
        settings.put("forebay.temporal.tls.ca", authority.certificate().toString());
        settings.put("forebay.temporal.tls.certificate", client.certificate().toString());
        settings.put("forebay.temporal.tls.key", client.key().toString());
        settings.put("forebay.temporal.tls.server-name", NAME);
        return settings;
    }

    private static ServiceConfig.Tls tls(Map<String, String> settings) {
        return Settings.of(ServiceConfig.class, settings).temporal().tls();
    }

    private static WorkflowServiceStubs stubs(ServiceConfig.Tls tls) {
        WorkflowServiceStubsOptions.Builder connection =
                WorkflowServiceStubsOptions.newBuilder().setTarget(relay.target());
        TemporalTls.apply(tls, connection);
        return WorkflowServiceStubs.newServiceStubs(connection.build());
    }

    /** Calls Temporal on a new connection. */
    private static boolean answers(ServiceConfig.Tls tls) {
        WorkflowServiceStubs stubs = stubs(tls);
        try {
            stubs.connect(TIMEOUT);
            return stubs.healthCheck().isInitialized();
        } catch (RuntimeException e) {
            return false;
        } finally {
            stubs.shutdownNow();
            stubs.awaitTermination(5, TimeUnit.SECONDS);
        }
    }

    private static boolean answers(Map<String, String> settings) {
        return answers(tls(settings));
    }

    @Test
    void aClientWithACertificateConnects() {
        Await.until("the client connects", () -> answers(settings()));
    }

    @Test
    void aClientWithoutAValidCertificateOrAuthorityCannotConnect() {
        Map<String, String> none = settings();
        none.remove("forebay.temporal.tls.certificate");
        none.remove("forebay.temporal.tls.key");
        Map<String, String> strangers = settings();
        strangers.put("forebay.temporal.tls.certificate", stranger.certificate().toString());
        strangers.put("forebay.temporal.tls.key", stranger.key().toString());
        Map<String, String> distrusting = settings();
        distrusting.remove("forebay.temporal.tls.ca");
        Map<String, String> plain = settings();
        plain.keySet().removeIf(name -> name.startsWith("forebay.temporal.tls."));

        assertThat(answers(none)).isFalse();
        assertThat(answers(strangers)).isFalse();
        assertThat(answers(distrusting)).isFalse();
        assertThat(answers(plain)).isFalse();
        assertThat(relay.refused()).isPositive();
    }

    @Test
    void aClientRefusesAServerWithAnotherName() {
        Map<String, String> other = settings();
        other.put("forebay.temporal.tls.server-name", "other.example.com");
        Map<String, String> address = settings();
        address.remove("forebay.temporal.tls.server-name");

        assertThat(answers(other)).isFalse();
        assertThat(answers(address)).isFalse();
    }

    @Test
    void aClientUsesAReplacedCertificateWithoutARestart() throws IOException {
        Path certificate = directory.resolve("tls.crt");
        Path key = directory.resolve("tls.key");
        Files.copy(stranger.certificate(), certificate);
        Files.copy(stranger.key(), key);
        Map<String, String> settings = settings();
        settings.put("forebay.temporal.tls.certificate", certificate.toString());
        settings.put("forebay.temporal.tls.key", key.toString());
        WorkflowServiceStubs stubs = stubs(tls(settings));
        try {
            assertThatThrownBy(stubs::healthCheck).isInstanceOf(StatusRuntimeException.class);

            Files.copy(client.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
            Files.copy(client.key(), key, StandardCopyOption.REPLACE_EXISTING);

            Await.until(
                    "the client uses the new certificate",
                    () -> {
                        try {
                            return stubs.healthCheck().isInitialized();
                        } catch (RuntimeException notYet) {
                            return false;
                        }
                    });
        } finally {
            stubs.shutdownNow();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    enabled     | false         | forebay.temporal.tls.enabled must be true
                    ca          | /nowhere      | forebay.temporal.tls.ca is /nowhere: it must contain certificates
                    certificate | /nowhere      | forebay.temporal.tls.certificate is /nowhere: it must be a readable file
                    key         | ''            | forebay.temporal.tls.certificate and forebay.temporal.tls.key must be set together
                    """)
    void anErrorNamesTheInvalidSetting(String setting, String value, String message) {
        Map<String, String> settings = settings();
        settings.put("forebay.temporal.tls." + setting, value);
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(
                        () ->
                                TemporalTls.apply(
                                        tls(settings), WorkflowServiceStubsOptions.newBuilder()))
                .withMessageContaining(message);
    }

    @Test
    void anAgentConnectsOverTlsOrReportsWhyItCannot() throws Exception {
        try (EtcdServer etcd = EtcdServer.start(directory.resolve("etcd"))) {
            Map<String, String> settings = settings();
            settings.put("forebay.region", "test-1");
            settings.put("forebay.etcd.endpoints", etcd.endpoint().toString());
            try (ApplicationProcess agent =
                    ApplicationProcess.start(
                            "agent", directory.resolve("agent"), settings, Map.of())) {
                Api api = new Api(agent.address());
                Await.until(
                        "it works",
                        () ->
                                api.get("/q/health/ready")
                                        .body()
                                        .toString()
                                        .contains("\"temporal\":\"in touch\""));
            }

            settings.put("forebay.temporal.tls.ca", "/nowhere");
            assertThatThrownBy(
                            () ->
                                    ApplicationProcess.start(
                                            "refused",
                                            directory.resolve("refused"),
                                            settings,
                                            Map.of()))
                    .hasMessageContaining("Forebay does not start: forebay.temporal.tls.ca");
        }
    }
}
