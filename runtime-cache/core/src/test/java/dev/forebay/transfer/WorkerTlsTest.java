package dev.forebay.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which certificates a client of workers accepts. */
class WorkerTlsTest {

    @TempDir Path directory;

    @TempDir static Path issuing;

    private static CertificateAuthority authority;
    private static CertificateAuthority other;

    private HttpsServer server;
    private WorkerNode worker;

    /** Issues certificates once, because each of them starts a process. */
    @BeforeAll
    static void issue() {
        authority = CertificateAuthority.in(issuing.resolve("authority"));
        authority.issue("worker", "ip:127.0.0.1");
        other = CertificateAuthority.in(issuing.resolve("other"));
    }

    @BeforeEach
    void start() throws Exception {
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(authority.context("worker")));
        byte[] status =
                """
                {"id":"w1","region":"r","capacityBytes":1,"usedBytes":0,"chunks":0}
                """
                        .getBytes(StandardCharsets.UTF_8);
        server.createContext(
                "/v1/status",
                exchange -> {
                    try (exchange) {
                        exchange.sendResponseHeaders(200, status.length);
                        exchange.getResponseBody().write(status);
                    }
                });
        server.start();
        worker = node("127.0.0.1");
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private WorkerNode node(String host) {
        return new WorkerNode(
                "w1",
                URI.create("https://%s:%d".formatted(host, server.getAddress().getPort())),
                1);
    }

    private static String region(WorkerNode worker, Optional<WorkerAuthorities> trusted) {
        try (WorkerClient client = client(trusted)) {
            return client.status(worker).region();
        }
    }

    private static WorkerClient client(Optional<WorkerAuthorities> trusted) {
        return new WorkerClient(WorkerClientConfig.defaults().withAuthorities(trusted));
    }

    private static Optional<WorkerAuthorities> authorities(Path file) {
        return Optional.of(WorkerAuthorities.read("--worker-ca", file));
    }

    @Test
    void acceptsACertificateSignedByAnAuthorityInTheFile() throws Exception {
        Path both =
                Files.writeString(
                        directory.resolve("both.pem"),
                        Files.readString(other.certificate())
                                + Files.readString(authority.certificate()));

        assertThat(region(worker, authorities(authority.certificate()))).isEqualTo("r");
        assertThat(region(worker, authorities(both))).isEqualTo("r");
        assertRefused(worker, authorities(other.certificate()));
        assertRefused(worker, Optional.empty());
    }

    @Test
    void readsAChangedAuthorityFileAgain() throws Exception {
        Path file = Files.copy(other.certificate(), directory.resolve("ca.crt"));
        try (WorkerClient client = client(authorities(file))) {
            assertRefused(client, worker);

            Files.writeString(file, "half of a certif");
            assertRefused(client, worker);
            Files.copy(authority.certificate(), file, StandardCopyOption.REPLACE_EXISTING);
            assertThat(client.status(worker).region()).isEqualTo("r");
        }
    }

    @Test
    void refusesACertificateForAnotherName() {
        assertRefused(node("localhost"), authorities(authority.certificate()));
    }

    @Test
    void theErrorNamesAFileWithoutAnAuthority() throws Exception {
        Path empty = Files.createFile(directory.resolve("empty"));
        for (Path bad : new Path[] {empty, directory.resolve("nowhere")}) {
            assertThatThrownBy(() -> WorkerAuthorities.read("forebay.worker-ca", bad))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessageContaining("forebay.worker-ca is " + bad)
                    .hasMessageContaining("in PEM");
        }
    }

    private static void assertRefused(WorkerNode worker, Optional<WorkerAuthorities> trusted) {
        try (WorkerClient client = client(trusted)) {
            assertRefused(client, worker);
        }
    }

    private static void assertRefused(WorkerClient client, WorkerNode worker) {
        assertThatThrownBy(() -> client.status(worker))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContainingAll(
                        "worker w1",
                        "the certificate of https://%s:".formatted(worker.address().getHost()),
                        "be for %s, and".formatted(worker.address().getHost()),
                        "forebay.worker-ca");
    }
}
