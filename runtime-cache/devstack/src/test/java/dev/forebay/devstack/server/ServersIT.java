package dev.forebay.devstack.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks each real server: it starts, keeps its data through kill -9, pauses, and leaves nothing
 * behind.
 */
class ServersIT {
    @TempDir Path directory;

    @Test
    void etcdKeepsItsDataThroughKill9() throws Exception {
        try (EtcdServer etcd = EtcdServer.start(directory.resolve("etcd"))) {
            post(
                    etcd.endpoint().resolve("/v3/kv/put"),
                    "{\"key\":\"%s\",\"value\":\"%s\"}"
                            .formatted(base64("city"), base64("Incheon")));

            survivesKill9(etcd);

            assertThat(
                            post(
                                    etcd.endpoint().resolve("/v3/kv/range"),
                                    "{\"key\":\"%s\"}".formatted(base64("city"))))
                    .contains(base64("Incheon"));
            leavesNothing(etcd, etcd.pid());
        }
    }

    @Test
    void aServerStopsWhenPausedAndAnswersAfterItResumes() throws Exception {
        try (EtcdServer etcd = EtcdServer.start(directory.resolve("etcd"))) {
            URI health = etcd.endpoint().resolve("/health");
            etcd.pause();
            awaitStopped(etcd.pid());
            etcd.resume();
            awaitReady(Readiness.ok(health));

            etcd.pause();
            leavesNothing(etcd, etcd.pid());
        }
    }

    @Test
    void s3KeepsItsDataAndItsKeyThroughKill9() throws Exception {
        String key;
        try (S3Server s3 = S3Server.start(directory.resolve("s3"))) {
            s3.createBucket("lake");
            key = s3.accessKey() + s3.secretKey();
            Files.writeString(s3.bucketDirectory("lake").resolve("object"), "bytes");

            survivesKill9(s3);

            assertThat(Readiness.answers(s3.endpoint()).ready()).isTrue();
            assertThat(s3.bucketDirectory("lake").resolve("object")).hasContent("bytes");
            assertThat(Files.readString(s3.accessLog())).contains("AccessDenied");
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(s3.credentialsFile())))
                    .isEqualTo("rw-------");
            leavesNothing(s3, s3.pid());
        }
        try (S3Server again = S3Server.start(directory.resolve("s3"))) {
            assertThat(again.accessKey() + again.secretKey()).isEqualTo(key);
        }
    }

    @Test
    void temporalServesItsNamespaceAndItsUiThroughKill9() throws Exception {
        try (TemporalServer temporal = TemporalServer.start(directory.resolve("temporal"))) {
            survivesKill9(temporal);

            assertThat(Readiness.ok(temporal.ui()).ready()).isTrue();
            assertThat(temporal.target()).startsWith("127.0.0.1:");
            leavesNothing(temporal, temporal.pid());
        }
    }

    @Test
    void postgresKeepsItsDataThroughKill9() throws Exception {
        try (PostgresServer postgres = PostgresServer.start(directory.resolve("postgres"))) {
            execute(postgres, "CREATE TABLE city (name text)");
            execute(postgres, "INSERT INTO city VALUES ('Incheon')");

            survivesKill9(postgres);

            try (Connection connection = connect(postgres);
                    ResultSet rows =
                            connection.createStatement().executeQuery("SELECT name FROM city")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo("Incheon");
            }
            leavesNothing(postgres, postgres.pid());
        }
    }

    private static void survivesKill9(OneProcessServer server) {
        long before = server.pid();
        server.kill9();
        assertThat(server.isAlive()).isFalse();
        assertThat(ProcessIdentity.of(before)).isEmpty();
        server.restart();
        assertThat(server.isAlive()).isTrue();
        assertThat(server.pid()).isNotEqualTo(before);
    }

    private static void leavesNothing(OneProcessServer server, long pid) {
        server.close();
        server.close();
        assertThat(ProcessIdentity.of(pid)).isEmpty();
        assertThat(server.log().resolveSibling(server.name() + ".pid")).doesNotExist();
    }

    /**
     * Waits until a process has stopped. It stops when it next leaves the kernel, not when the
     * signal is sent.
     */
    private static void awaitStopped(long pid) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!state(pid).equals("T") && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(state(pid)).isEqualTo("T");
    }

    /**
     * Waits until the server answers. It may have missed some of its own heartbeats during the
     * pause.
     */
    private static void awaitReady(Readiness readiness) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!answers(readiness)) {
            assertThat(System.nanoTime()).as("the server answers").isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    private static boolean answers(Readiness readiness) throws InterruptedException {
        try {
            return readiness.ready();
        } catch (IOException e) {
            return false;
        }
    }

    private static String state(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[0];
    }

    private static Connection connect(PostgresServer postgres) throws SQLException {
        return DriverManager.getConnection(
                postgres.jdbcUrl(), postgres.user(), postgres.password());
    }

    private static void execute(PostgresServer postgres, String sql) throws SQLException {
        try (Connection connection = connect(postgres)) {
            connection.createStatement().execute(sql);
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String post(URI address, String body) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(address)
                                    .POST(HttpRequest.BodyPublishers.ofString(body))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
