package dev.forebay.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.fault.Http2Probe;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.devstack.tls.CertificateAuthority.Issued;
import dev.forebay.testing.Api;
import dev.forebay.testing.ApplicationProcess;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS between clients, a control plane and an agent, and the authorities that they trust. */
class EncryptedServiceIT {

    private static final String REGION = "encrypted-1";
    private static final TestControlPlane PLATFORM = TestControlPlane.shared();

    @TempDir static Path directory;

    private static CertificateAuthority authority;
    private static Path authorities;
    private static EtcdServer etcd;
    private static ApplicationProcess agent;
    private static ApplicationProcess control;
    private static Api api;

    @BeforeAll
    static void start() throws IOException {
        authority = CertificateAuthority.in(directory.resolve("authority"));
        authorities = Files.copy(authority.certificate(), directory.resolve("ca.crt"));
        etcd = EtcdServer.start(directory.resolve("etcd"));
        Map<String, String> settings = listener("agent");
        settings.put("forebay.role", "agent");
        settings.put("forebay.region", REGION);
        settings.put("forebay.etcd.endpoints", etcd.endpoint().toString());
        settings.put("forebay.temporal.target", PLATFORM.temporal.target());
        settings.put("forebay.lake.endpoint", PLATFORM.s3.endpoint().toString());
        agent =
                ApplicationProcess.startEncrypted(
                        "agent",
                        directory.resolve("agent"),
                        settings,
                        Map.of(),
                        authority.context());
        control = PLATFORM.encryptedReplica("encrypted", knowing(agent), authority.context());
        api = new Api(control.address().resolve("/api/v1"), authority.context());
    }

    @AfterAll
    static void stop() {
        control.close();
        agent.close();
        etcd.close();
    }

    private static Map<String, String> listener(String name) {
        Issued issued = authority.issue(name, "ip:127.0.0.1");
        Map<String, String> settings = new HashMap<>();
        settings.put("forebay.tls.certificate", issued.certificate().toString());
        settings.put("forebay.tls.key", issued.key().toString());
        return settings;
    }

    private static Map<String, String> knowing(ApplicationProcess agent) {
        Map<String, String> settings = listener("control");
        settings.put("forebay.regions." + REGION + ".agent", agent.address().toString());
        settings.put("forebay.service-ca", authorities.toString());
        return settings;
    }

    private static JsonNode region(Api api) {
        for (JsonNode region : api.get("/regions").body().path("items")) {
            if (region.path("name").asText().equals(REGION)) {
                return region;
            }
        }
        throw new AssertionError("the region is not known");
    }

    @Test
    void theControlPlaneReachesTheAgentOverTls() {
        JsonNode region = region(api);

        assertThat(region.path("problem").isNull()).as(region.toString()).isTrue();
        assertThat(region.path("reachable").asBoolean()).isTrue();
        assertThat(region.path("etcd_reachable").asBoolean()).isTrue();
    }

    @Test
    void theControlPlaneRejectsAnAgentUntilItTrustsTheAuthority() throws IOException {
        CertificateAuthority other = CertificateAuthority.in(directory.resolve("other"));
        Path changing = Files.copy(other.certificate(), directory.resolve("changing.crt"));
        Map<String, String> settings =
                Map.of(
                        "forebay.regions." + REGION + ".agent",
                        agent.address().toString(),
                        "forebay.service-ca",
                        changing.toString());
        try (ApplicationProcess wary = PLATFORM.replica("wary", settings, Map.of())) {
            Api asked = new Api(wary.address().resolve("/api/v1"));

            assertThat(region(asked).path("reachable").asBoolean(true)).isFalse();
            assertThat(region(asked).at("/problem/message").asText())
                    .contains("the agent of region " + REGION, "PKIX path validation failed");

            Files.copy(authorities, changing, StandardCopyOption.REPLACE_EXISTING);
            assertThat(region(asked).path("reachable").asBoolean()).isTrue();
        }
    }

    @Test
    void theControlPlaneRejectsACertificateForAnotherName() {
        String byName = "https://localhost:" + agent.address().getPort();
        Map<String, String> settings =
                Map.of(
                        "forebay.regions." + REGION + ".agent",
                        byName,
                        "forebay.service-ca",
                        authorities.toString());
        try (ApplicationProcess wary = PLATFORM.replica("misled", settings, Map.of())) {
            JsonNode region = region(new Api(wary.address().resolve("/api/v1")));

            assertThat(region.path("reachable").asBoolean(true)).isFalse();
            assertThat(region.at("/problem/message").asText())
                    .contains("No name matching localhost found");
        }
    }

    @Test
    void aPlaintextRequestGetsNoHttpAnswer() throws IOException {
        for (ApplicationProcess each : new ApplicationProcess[] {agent, control}) {
            try (Socket plain =
                    new Socket(InetAddress.getLoopbackAddress(), each.address().getPort())) {
                plain.setSoTimeout(10_000);
                plain.getOutputStream()
                        .write(
                                "GET /q/health/live HTTP/1.1\r\nHost: a\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII));
                InputStream in = plain.getInputStream();
                assertThat(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1))
                        .doesNotContain("HTTP/1.1");
            }
        }
    }

    @Test
    void agentAndControlPlaneDoNotSupportHttp2() throws IOException {
        for (ApplicationProcess each : new ApplicationProcess[] {agent, control}) {
            Http2Probe probe = Http2Probe.encrypted(each.address(), authority.context());

            assertThat(probe.alpn()).isNotEqualTo("h2");
            assertThat(probe.preface()).matches("HTTP/.\\.. [45]..");
            assertThat(probe.upgrade("/q/health/live")).isEqualTo("HTTP/1.1 200");
        }
    }

    @Test
    void aMetricReportsTheRemainingLifetimeOfTheCertificate() {
        for (ApplicationProcess each : new ApplicationProcess[] {agent, control}) {
            String metrics =
                    new Api(each.address(), authority.context()).get("/q/metrics").raw().body();

            double left =
                    metrics.lines()
                            .filter(line -> line.startsWith("forebay_service_tls_certificate_left"))
                            .mapToDouble(
                                    line ->
                                            Double.parseDouble(
                                                    line.substring(line.lastIndexOf(' ') + 1)))
                            .findFirst()
                            .orElseThrow();
            assertThat(left).isBetween(20 * 3600.0, 24 * 3600.0);
        }
    }
}
