package dev.forebay.chart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.PostgresServer;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.devstack.stack.Mounts;
import java.net.URI;
import java.net.URLConnection;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the chart tells its containers is all that they need to be told: a release whose containers
 * are processes works, on real servers.
 */
class RenderedReleaseFuseIT {

    private static final Path WORKER =
            Path.of("../runtime-cache/worker/target/quarkus-app/quarkus-run.jar");
    private static final Path SERVICE = Path.of("../activities/target/quarkus-app/quarkus-run.jar");
    private static final Path FUSE =
            Path.of("../runtime-cache/fuse/target/forebay-fuse/forebay-fuse.jar");

    private static final String TOKEN = "0123456789abcdef-of-a-test";

    @TempDir private Path directory;

    @Test
    void aReleaseWorksByWhatItIsTold() throws Exception {
        try (EtcdServer etcd = EtcdServer.start(directory.resolve("etcd"));
                TemporalServer temporal = TemporalServer.start(directory.resolve("temporal"));
                PostgresServer postgres = PostgresServer.start(directory.resolve("postgres"));
                S3Server lake = S3Server.start(directory.resolve("lake"))) {
            lake.createBucket("forebay-manifests");
            Release release =
                    Chart.render(
                            Chart.CONTROL_PLANE,
                            Chart.REGION,
                            """
                            temporal: {target: "%s"}
                            lake: {endpoint: "%s"}
                            controlPlane: {database: {url: "%s"}}
                            region:
                              etcd: {endpoints: ["%s"]}
                              # Whatever cluster the user of this machine has is not asked.
                              agent: {watchJobs: false}
                              workers: {capacity: 64M}
                              fuse: {packCache: 64M}
                            """
                                    .formatted(
                                            temporal.target(),
                                            lake.endpoint(),
                                            postgres.jdbcUrl(),
                                            etcd.endpoint()));
            Map<String, String> secrets =
                    Map.of(
                            "forebay-token/token", TOKEN,
                            "lake-key/AWS_ACCESS_KEY_ID", lake.accessKey(),
                            "lake-key/AWS_SECRET_ACCESS_KEY", lake.secretKey(),
                            "forebay-database/username", postgres.user(),
                            "forebay-database/password", postgres.password());
            try (Kubelet kubelet = new Kubelet(release, directory, secrets)) {
                assertWorks(kubelet);
            } finally {
                Mounts.below(directory).forEach(Mounts::detach);
            }
        }
    }

    private static void assertWorks(Kubelet kubelet) throws Exception {
        Path mountRoot = kubelet.onNode("/mnt/forebay");
        kubelet.start("worker", "worker", WORKER);
        kubelet.start("agent", "agent", SERVICE);
        kubelet.start("control-plane", "control-plane", SERVICE);
        kubelet.start("holder", "holder", FUSE, () -> Mounts.isMounted(mountRoot));
        kubelet.start("fuse", "fuse", FUSE);
        kubelet.start("fuse", "standby", FUSE);

        URI regions = kubelet.address("control-plane", "control-plane").resolve("/api/v1/regions");
        assertThat(get(regions))
                .contains("\"name\":\"us-east-1\"", "\"mount_root\":\"/mnt/forebay\"")
                .contains("\"reachable\":true", "\"etcd_reachable\":true", "\"live\":true")
                .contains(kubelet.address("worker", "worker").toString());
        // Served: else this would wait.
        assertThat(mountRoot).isEmptyDirectory();
        assertThat(get(kubelet.address("fuse", "fuse").resolve("/metrics")))
                .contains("forebay_fuse_serving 1");
        assertThat(get(kubelet.address("fuse", "standby").resolve("/metrics")))
                .contains("forebay_fuse_serving 0");
    }

    private static String get(URI address) throws Exception {
        URLConnection connection = address.toURL().openConnection();
        connection.setRequestProperty("Authorization", "Bearer " + TOKEN);
        try (var body = connection.getInputStream()) {
            return new String(body.readAllBytes(), UTF_8);
        }
    }
}
