package dev.forebay.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.devstack.tls.CertificateAuthority.Issued;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.tls.TlsSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests an etcd with TLS that accepts only clients with a certificate. */
class EtcdTlsIT {

    private static final String PREFIX = "forebay.etcd.tls.";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final RegionName REGION = new RegionName("r1");

    @TempDir private static Path directory;
    private static CertificateAuthority authority;
    private static Issued client;
    private static Issued strangers;
    private static Path stranger;
    private static EtcdServer etcd;

    @BeforeAll
    static void start() {
        authority = CertificateAuthority.in(directory.resolve("authority"));
        client = authority.issue("client", "dns:forebay");
        CertificateAuthority other = CertificateAuthority.in(directory.resolve("other"));
        strangers = other.issue("client", "dns:forebay");
        stranger = other.certificate();
        etcd =
                EtcdServer.startEncrypted(
                        directory.resolve("etcd"),
                        authority.issue("etcd", "ip:127.0.0.1"),
                        authority.certificate());
    }

    @AfterAll
    static void stop() {
        etcd.close();
    }

    private static TlsSettings trusting(Path ca, Issued shown) {
        return new TlsSettings(
                PREFIX,
                Optional.of(ca),
                Optional.of(shown.certificate()),
                Optional.of(shown.key()));
    }

    /** Leaves enough time for the first handshakes of a JVM on a busy machine. */
    private static EtcdConfig config(List<URI> endpoints, TlsSettings tls) {
        return config(endpoints, tls, TIMEOUT);
    }

    /** Has a short timeout, for calls that are retried until they fail. */
    private static EtcdConfig hasty(EtcdConfig config) {
        return config(config.endpoints(), config.tls(), Duration.ofSeconds(2));
    }

    private static EtcdConfig config(List<URI> endpoints, TlsSettings tls, Duration timeout) {
        return new EtcdConfig(
                endpoints,
                tls,
                timeout,
                Duration.ofSeconds(3),
                Duration.ofMillis(500),
                Duration.ofMillis(500));
    }

    private static EtcdConfig config(TlsSettings tls) {
        return config(List.of(etcd.endpoint()), tls);
    }

    private static void ask(EtcdConfig config) {
        try (EtcdConnection connection = new EtcdConnection(config)) {
            connection.run(session -> session.range("/"));
        }
    }

    /**
     * Expects a refusal with a reason. A call that ends before any handshake does not give the
     * reason yet, so the check repeats it.
     */
    private static void refuses(String reason, EtcdConfig config) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        ForebayException refusal;
        do {
            refusal = catchThrowableOfType(ForebayException.class, () -> ask(hasty(config)));
            assertThat(refusal).isNotNull();
            assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        } while (!String.valueOf(refusal.getMessage()).contains(reason)
                && System.nanoTime() < deadline);
        assertThat(refusal).hasMessageContaining(reason);
    }

    @Test
    void aRegionIsReadAndChangedOverTls() {
        Digest digest = new Digest("a".repeat(64));
        ManifestRef manifest =
                new ManifestRef("s3://m/manifests/" + digest + ".sqlite", digest, 3, 30, 1);
        DatasetVersion version = DatasetVersion.of("vision", "digits", "v1");
        EtcdConfig config = config(trusting(authority.certificate(), client));
        try (RegionState one = EtcdRegionState.connect(config, REGION);
                RegionState other = EtcdRegionState.connect(config, REGION)) {
            one.mount(version, manifest);

            assertThat(one.connected()).isTrue();
            other.catchUp();
            assertThat(other.view().mounts()).extracting(Mount::version).containsExactly(version);
        }
    }

    @Test
    void aClientRefusesAServerWithAnUntrustedCertificate() {
        refuses("Signature does not match", config(trusting(stranger, client)));
        refuses("unable to find valid certification path", config(TlsSettings.none(PREFIX)));
    }

    @Test
    void etcdRefusesAClientWithoutATrustedCertificate() {
        refuses("unknown_ca", config(trusting(authority.certificate(), strangers)));
        refuses(
                "certificate_required",
                config(
                        new TlsSettings(
                                PREFIX,
                                Optional.of(authority.certificate()),
                                Optional.empty(),
                                Optional.empty())));
    }

    @Test
    void aClientRefusesAMemberWithAnotherHostName() {
        URI byName = URI.create("https://localhost:" + etcd.endpoint().getPort());

        refuses("localhost", config(List.of(byName), trusting(authority.certificate(), client)));
    }

    @Test
    void oneReachableMemberIsSufficient() {
        URI away = URI.create("https://127.0.0.1:" + Ports.free());
        EtcdConfig config =
                config(List.of(away, etcd.endpoint()), trusting(authority.certificate(), client));
        try (RegionState state = EtcdRegionState.connect(config, REGION)) {
            assertThatNoException().isThrownBy(state::catchUp);
        }
    }

    @Test
    void aConnectionUsesAReplacedClientCertificate() throws Exception {
        Path certificate = directory.resolve("tls.crt");
        Path key = directory.resolve("tls.key");
        replace(strangers, certificate, key);
        EtcdConfig config =
                hasty(config(trusting(authority.certificate(), new Issued(certificate, key))));
        try (EtcdConnection connection = new EtcdConnection(config)) {
            assertThatExceptionOfType(ForebayException.class)
                    .isThrownBy(() -> connection.run(session -> session.range("/")));

            replace(client, certificate, key);

            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (!answers(connection)) {
                assertThat(System.nanoTime())
                        .as("the new certificate is used")
                        .isLessThan(deadline);
                connection.refresh();
            }
        }
    }

    private static boolean answers(EtcdConnection connection) {
        try {
            connection.run(session -> session.range("/"));
            return true;
        } catch (ForebayException notYet) {
            return false;
        }
    }

    private static void replace(Issued with, Path certificate, Path key) throws IOException {
        Files.copy(with.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(with.key(), key, StandardCopyOption.REPLACE_EXISTING);
    }
}
