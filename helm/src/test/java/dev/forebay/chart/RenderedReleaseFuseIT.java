package dev.forebay.chart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.chart.PrometheusProcess.Target;
import dev.forebay.devstack.mount.Mounts;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.PostgresServer;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.server.TemporalServer;
import java.io.IOException;
import java.net.URI;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that the chart passes all necessary settings to its containers. Runs the containers of a
 * release as processes on real servers. A Prometheus must then have all metrics of the chart's
 * alerts and dashboards.
 */
class RenderedReleaseFuseIT {

    private static final String MOUNT_ROOT = "/mnt/forebay";
    private static final String TOKEN = "0123456789abcdef-of-a-test";

    /** Metrics of errors and of requests by others, which do not occur in this test. */
    private static final Set<String> NOT_HERE =
            Set.of(
                    "forebay_agent_gateway_bytes_total",
                    // Only of an agent with the webhook.
                    "forebay_agent_webhook_certificate_left_seconds",
                    // Only where a cluster declares Datasets.
                    "forebay_control_dataset_resource_leader",
                    "forebay_control_drift_checks_total",
                    "forebay_control_pin_renewals_total",
                    "forebay_control_admission_evictions_total",
                    "forebay_control_sweep_versions_total",
                    "forebay_fuse_errors_total",
                    "forebay_fuse_hedges_total",
                    "forebay_fuse_worker_failures_total",
                    // Only of processes that use TLS, which this release does not.
                    "forebay_service_tls_certificate_left_seconds",
                    "forebay_worker_sibling_bytes_total",
                    "forebay_worker_tls_certificate_left_seconds");

    @TempDir private Path directory;

    @Test
    void aRenderedReleaseRunsOnRealServers() throws Exception {
        try (EtcdServer etcd = EtcdServer.start(directory.resolve("etcd"));
                TemporalServer temporal = TemporalServer.start(directory.resolve("temporal"));
                PostgresServer postgres = PostgresServer.start(directory.resolve("postgres"));
                S3Server lake = S3Server.start(directory.resolve("lake"))) {
            lake.createBucket("forebay-manifests").createBucket("datasets");
            Files.createDirectories(lake.bucketDirectory("datasets").resolve("mine"));
            Files.writeString(lake.bucketDirectory("datasets").resolve("mine/a.txt"), "content");
            Release release =
                    Chart.render(
                            Chart.CONTROL_PLANE,
                            Chart.REGION,
                            """
                            temporal: {target: "%s"}
                            lake: {endpoint: "%s"}
                            controlPlane:
                              database: {url: "%s"}
                              settings: {forebay.ledger.interval: 1S, forebay.figures.interval: 1S, forebay.prices.lake-gb: 0.09}
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
                assertIsSeen(kubelet, etcd.endpoint());
            } finally {
                // Also detaches the images below it, which are unreachable when no process serves
                // the mount.
                Mounts.detach(directory.resolve("node" + MOUNT_ROOT));
            }
        }
    }

    private static void assertWorks(Kubelet kubelet) throws Exception {
        Path mountRoot = kubelet.onNode(MOUNT_ROOT);
        kubelet.start("worker", "worker", Program.WORKER);
        kubelet.start("agent", "agent", Program.AGENT);
        kubelet.start("control-plane", "control-plane", Program.CONTROL_PLANE);
        kubelet.start("holder", "holder", Program.HOLDER);
        assertThat(Mounts.isMounted(mountRoot)).isTrue();
        kubelet.start("fuse", "fuse", Program.POD);
        kubelet.start("fuse", "standby", Program.POD);

        URI regions = kubelet.address("control-plane", "control-plane").resolve("/api/v1/regions");
        assertThat(get(regions))
                .contains("\"name\":\"us-east-1\"", "\"mount_root\":\"/mnt/forebay\"")
                .contains("\"reachable\":true", "\"etcd_reachable\":true", "\"live\":true")
                .contains(kubelet.address("worker", "worker").toString());
        // The mount is served; otherwise this call would block.
        assertThat(mountRoot).isEmptyDirectory();
        assertThat(get(kubelet.address("fuse", "fuse").resolve("/metrics")))
                .contains("forebay_fuse_serving 1");
        assertThat(get(kubelet.address("fuse", "standby").resolve("/metrics")))
                .contains("forebay_fuse_serving 0");
    }

    /** Checks that a Prometheus has the metrics of alerts and dashboards, after some activity. */
    private void assertIsSeen(Kubelet kubelet, URI etcd) throws Exception {
        try (PrometheusProcess prometheus =
                PrometheusProcess.start(
                        directory.resolve("prometheus"),
                        AlertsTest.ALERTS,
                        TOKEN,
                        targets(kubelet, etcd))) {
            readSomething(kubelet);

            Set<String> asked = new TreeSet<>();
            for (JsonNode alert : AlertsTest.alerts()) {
                asked.addAll(DocumentedMetrics.in(alert.get("expr").asText()));
            }
            for (Path dashboard : DashboardsTest.dashboards()) {
                for (String query : DashboardsTest.queries(dashboard)) {
                    asked.addAll(DocumentedMetrics.in(query));
                    assertThat(prometheus.query(chosen(query)).isArray()).as(query).isTrue();
                }
            }
            await(() -> missing(prometheus, asked).isEmpty(), () -> missing(prometheus, asked));
            int up = targets(kubelet, etcd).size();
            await(() -> prometheus.query("up == 1").size() == up, () -> prometheus.query("up"));
            String cached = "max by (region) (forebay_control_versions{state=\"cached\"})";
            await(
                    () -> prometheus.query(cached + " == 1").size() == 1,
                    () -> prometheus.query(cached));
            await(
                    () ->
                            prometheus.rules().findValuesAsText("health").stream()
                                    .allMatch("ok"::equals),
                    prometheus::rules);
            assertThat(prometheus.query("ALERTS{alertstate=\"firing\"}")).isEmpty();
        }
    }

    private static List<Target> targets(Kubelet kubelet, URI etcd) {
        String region = ", region: us-east-1}";
        return List.of(
                new Target(
                        kubelet.address("control-plane", "control-plane"),
                        "/q/metrics",
                        "{component: control-plane}"),
                new Target(
                        kubelet.address("agent", "agent"),
                        "/q/metrics",
                        "{component: agent" + region),
                new Target(
                        kubelet.address("worker", "worker"),
                        "/q/metrics",
                        "{component: worker" + region),
                new Target(
                        kubelet.address("fuse", "fuse"),
                        "/metrics",
                        "{component: fuse, node: n1" + region),
                new Target(
                        kubelet.address("fuse", "standby"),
                        "/metrics",
                        "{component: fuse, node: n1" + region),
                new Target(etcd, "/metrics", "{component: etcd" + region));
    }

    private static void readSomething(Kubelet kubelet) throws Exception {
        URI api = kubelet.address("control-plane", "control-plane").resolve("/api/v1/");
        post(
                api.resolve("datasets"),
                "{\"namespace\":\"demo\",\"name\":\"mine\",\"source\":\"s3://datasets/mine/\"}");
        assertThat(
                        post(
                                api.resolve(
                                        "datasets/demo/mine/versions/v1/ensure?wait_seconds=30"),
                                "{\"region\":\"us-east-1\"}"))
                .contains("\"done\":true");
        Path file = kubelet.onNode(MOUNT_ROOT + "/demo/mine/v1/a.txt");
        await(() -> Files.exists(file), () -> file);
        assertThat(file).hasContent("content");
    }

    /** Returns the metrics that Prometheus lacks, without those that do not occur in this test. */
    private static Set<String> missing(PrometheusProcess prometheus, Set<String> asked)
            throws IOException {
        Set<String> missing = new TreeSet<>(asked);
        missing.removeAll(prometheus.metrics());
        missing.removeAll(NOT_HERE);
        return missing;
    }

    /** Replaces the variables of a query by chosen values, as Grafana does. */
    private static String chosen(String query) {
        return query.replaceAll("label_values\\((\\w+), \\w+\\)", "$1")
                .replace("$region", ".*")
                .replace("$__rate_interval", "10s");
    }

    private static void await(Callable<Boolean> condition, Callable<?> said) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("%s", said.call()).isLessThan(deadline);
            Thread.sleep(100);
        }
    }

    private static String post(URI address, String body) throws Exception {
        URLConnection connection = connect(address);
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", "application/json");
        try (var out = connection.getOutputStream()) {
            out.write(body.getBytes(UTF_8));
        }
        return answer(connection);
    }

    private static String get(URI address) throws Exception {
        return answer(connect(address));
    }

    private static URLConnection connect(URI address) throws IOException {
        URLConnection connection = address.toURL().openConnection();
        connection.setRequestProperty("Authorization", "Bearer " + TOKEN);
        return connection;
    }

    private static String answer(URLConnection connection) throws IOException {
        try (var body = connection.getInputStream()) {
            return new String(body.readAllBytes(), UTF_8);
        }
    }
}
