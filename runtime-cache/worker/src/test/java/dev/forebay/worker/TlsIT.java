package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.fault.Http2Probe;
import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.devstack.tls.CertificateAuthority.Issued;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.transfer.ReadEvents;
import dev.forebay.transfer.RegionReader;
import dev.forebay.transfer.RegionReaderConfig;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.transfer.WorkerSet;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Clients that a worker with TLS serves, the certificate that it shows, and workers without TLS.
 */
@SuppressWarnings("NullAway.Init") // set before all tests
class TlsIT extends RunningWorker {

    private static Issued files;
    private static WorkerProcess encrypted;

    private static int issued;

    /**
     * Does not fill ahead: the shared worker, which these readers do not know, may own the next
     * chunks.
     */
    @BeforeAll
    static void start() throws Exception {
        Path directory = Files.createDirectories(DIRECTORY.resolve("tls-files"));
        files = new Issued(directory.resolve("tls.crt"), directory.resolve("tls.key"));
        showAGoodCertificate();
        encrypted =
                workerOfTheClass(
                        TestProtocol.TLS,
                        "tls",
                        TestProtocol.certificate(files),
                        TestProtocol.key(files),
                        "forebay.worker.fill.ahead=0");
    }

    /** A test may have replaced the certificate. */
    @AfterEach
    void restoreCertificate() throws Exception {
        showAGoodCertificate();
    }

    private static void showAGoodCertificate() throws Exception {
        replace(
                files,
                TestProtocol.authority().issue("good-" + issued++, CertificateAuthority.LOOPBACK));
    }

    @Test
    void aClientThatDoesNotTrustTheAuthorityNamesTheSetting() {
        WorkerProcess own = encrypted;

        try (WorkerClient stranger = new WorkerClient(WorkerClientConfig.defaults())) {
            assertRefused(stranger, own, "worker under-test", "127.0.0.1", "forebay.worker-ca");
        }
        assertThat(client.status(own.node()).region()).isEqualTo(TestRegion.NAME);
    }

    @Test
    void aClientRefusesForeignMisnamedAndExpiredCertificates() throws Exception {
        CertificateAuthority other = CertificateAuthority.in(DIRECTORY.resolve("other-authority"));
        WorkerProcess own = encrypted;
        List<Issued> bad =
                List.of(
                        other.issue("forged", CertificateAuthority.LOOPBACK),
                        TestProtocol.authority().issue("elsewhere", "dns:worker-9.example"),
                        TestProtocol.authority()
                                .issue("expired", CertificateAuthority.LOOPBACK, "-3d"));
        for (Issued each : bad) {
            replace(files, each);
            try (WorkerClient fresh = newClient()) {
                assertRefused(fresh, own, "be in force, be for 127.0.0.1, and be signed by");
            }
        }
    }

    @Test
    void aWorkerRefusesPlainTextAndOlderTlsVersions() throws Exception {
        WorkerProcess own = encrypted;

        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), own.address().getPort())) {
            plain.setSoTimeout(10_000);
            plain.getOutputStream()
                    .write(
                            "GET /v1/status HTTP/1.1\r\nHost: worker\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
            InputStream in = plain.getInputStream();
            assertThat(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1))
                    .doesNotContain("HTTP/1.1");
        }
        try (SSLSocket older =
                (SSLSocket)
                        TestProtocol.authority()
                                .context()
                                .getSocketFactory()
                                .createSocket(
                                        InetAddress.getLoopbackAddress(),
                                        own.address().getPort())) {
            older.setEnabledProtocols(new String[] {"TLSv1.2"});
            assertThatThrownBy(older::startHandshake).isInstanceOf(SSLException.class);
        }
        assertThat(own.get("/v1/status").statusCode()).isEqualTo(200);
    }

    @Test
    void aWorkerDoesNotSpeakHttp2() throws Exception {
        Http2Probe probe =
                Http2Probe.encrypted(encrypted.address(), TestProtocol.authority().context());

        assertThat(probe.alpn()).isNotEqualTo("h2");
        assertThat(probe.preface()).matches("HTTP/.\\.. [45]..");
        assertThat(probe.upgrade("/q/health/live")).isEqualTo("HTTP/1.1 200");
    }

    @Test
    void aWorkerReloadsARenewedCertificateAndKeepsTheOldOneIfTheNewIsUnusable() throws Exception {
        Issued first = TestProtocol.authority().issue("first", CertificateAuthority.LOOPBACK);
        replace(files, first);
        WorkerProcess own = encrypted;
        assertThat(statusOfNewClient(own)).isEqualTo(TestRegion.NAME);
        double left = own.metric("forebay_worker_tls_certificate_left_seconds");
        assertThat(left).isBetween(23 * 3600.0, 24 * 3600.0);

        // The wrong host name in this certificate tells the two apart.
        Issued second = TestProtocol.authority().issue("second", "dns:worker-9.example");
        Files.copy(second.certificate(), files.certificate(), StandardCopyOption.REPLACE_EXISTING);
        assertThat(statusOfNewClient(own)).isEqualTo(TestRegion.NAME);
        Files.copy(second.key(), files.key(), StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> statusOfNewClient(own)).hasMessageContaining("was refused");

        replace(files, TestProtocol.authority().issue("third", CertificateAuthority.LOOPBACK));
        assertThat(statusOfNewClient(own)).isEqualTo(TestRegion.NAME);
        String log = Files.readString(own.log());
        assertThat(log)
                .contains(
                        "forebay.worker.tls.certificate: using a new certificate",
                        "Cannot use the new certificate");
        String key = Files.readString(first.key()).replaceAll("-----.*-----|\\s", "");
        assertThat(log.replaceAll("\\s", "")).doesNotContain(key.substring(0, 40));
    }

    @Test
    void workersWithAndWithoutTlsShareChunksAndServeTheSameReader() throws Exception {
        byte[] bytes = random(110, 24 * MIB);
        region.put("mixed/object", bytes);
        TestVersion version = mounted("mixed");
        WorkerProcess plain = ownWorker("mixed-plain", "forebay.worker.fill.ahead=0");
        awaitMounted(encrypted, version);
        awaitMounted(plain, version);
        String first = status(encrypted).getString("id");
        String second = status(plain).getString("id");
        await(() -> region.state.view().live().containsAll(Set.of(first, second)));
        assertThat(
                        region.state.view().workers().stream()
                                .filter(node -> node.id().equals(first))
                                .map(node -> node.address().getScheme()))
                .containsExactly("https");

        WorkerSet both =
                new WorkerSet(
                        region.state.view().workers().stream()
                                .filter(node -> Set.of(first, second).contains(node.id()))
                                .toList(),
                        Set.of(first, second));
        ByteBuffer target = ByteBuffer.allocate((int) version.pack().bytes());
        new RegionReader(client, () -> both, RegionReaderConfig.defaults(), ReadEvents.NONE)
                .read(version.ref().digest(), version.pack().id(), 0, target.capacity(), target);
        assertThat(Arrays.copyOf(target.array(), bytes.length)).isEqualTo(bytes);

        int reads = region.reads("mixed/").size();
        for (WorkerProcess each : List.of(encrypted, plain)) {
            version.chunks()
                    .forEach(
                            chunk ->
                                    client.fill(
                                            each.node(), version.ref().digest(), chunk.chunk()));
            assertThat(client.coverage(each.node(), version.ref().digest()).held().cardinality())
                    .isEqualTo(version.chunks().size());
        }
        assertThat(region.reads("mixed/")).hasSize(reads);
    }

    @Test
    void aWorkerDoesNotStartWithTheKeyOfAnotherCertificate() {
        Issued one = TestProtocol.authority().issue("one", CertificateAuthority.LOOPBACK);
        Issued two = TestProtocol.authority().issue("two", CertificateAuthority.LOOPBACK);

        assertThatThrownBy(() -> started("mismatched", new Issued(one.certificate(), two.key())))
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining("forebay.worker.tls.key")
                .hasMessageContaining("must belong to the certificate");
    }

    private static void replace(Issued shown, Issued with) throws Exception {
        Files.copy(with.certificate(), shown.certificate(), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(with.key(), shown.key(), StandardCopyOption.REPLACE_EXISTING);
    }

    private WorkerProcess started(String name, Issued shown) {
        return ownWorker(
                TestProtocol.TLS, name, TestProtocol.certificate(shown), TestProtocol.key(shown));
    }

    /** Returns a client without connection and session. */
    private static WorkerClient newClient() {
        return new WorkerClient(TestProtocol.trust(WorkerClientConfig.defaults()));
    }

    private static String statusOfNewClient(WorkerProcess process) {
        try (WorkerClient fresh = newClient()) {
            return fresh.status(process.node()).region();
        }
    }

    private static void assertRefused(WorkerClient by, WorkerProcess process, String... says) {
        assertThatThrownBy(() -> by.status(process.node()))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContainingAll(says);
    }
}
