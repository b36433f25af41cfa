package dev.forebay.agent.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.jobs.WarmLabels;
import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.membership.NodeEntry;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.NodeName;
import dev.forebay.model.RegionName;
import dev.forebay.testing.ApplicationProcess;
import dev.forebay.testing.Await;
import dev.forebay.testing.ChartedAccount;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two packaged agents in a cluster, with the rights of the chart: the labels of nodes equal the
 * nodes' reports in etcd.
 */
@SuppressWarnings("NullAway.Init")
class NodeLabelsKubeIT {

    private static final RegionName REGION = new RegionName("test-1");
    private static final WarmLabels LABELS = new WarmLabels(REGION);
    private static final DatasetVersion DIGITS = DatasetVersion.parse("vision/digits@v1");
    private static final DatasetVersion WORDS = DatasetVersion.parse("nlp/words@v2");
    private static final Duration LONG = Duration.ofHours(1);

    /** More than one answer of the API server contains. */
    private static final int MANY = 510;

    /** Other labels that each node has. */
    private static final Map<String, String> FOREIGN =
            Map.of("pool", "gpu", "other-1.warm.forebay.dev/x", "of-another-region");

    @TempDir private static Path directory;

    private static EtcdServer etcd;
    private static TemporalServer temporal;
    private static KubernetesCluster cluster;
    private static KubernetesClient client;
    private static ApplicationProcess agent;
    private static ApplicationProcess otherAgent;
    private static EtcdRegionState region;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        etcd = EtcdServer.start(directory.resolve("etcd"));
        temporal = TemporalServer.start(directory.resolve("temporal"));
        cluster = KubernetesCluster.start(directory.resolve("cluster"));
        client = cluster.client();
        cluster.addNodes("gpu", 3, FOREIGN);
        Path kubeconfig =
                ChartedAccount.install(
                        cluster,
                        directory,
                        "agent",
                        "--set=region.enabled=true",
                        "--set=region.name=" + REGION,
                        "--set=region.agent.watchJobs=false",
                        "--set=region.nodeLabels.enabled=true");
        agent = startAgent("agent", kubeconfig);
        otherAgent = startAgent("other-agent", kubeconfig);
        region = EtcdRegionState.connect(EtcdConfig.of(List.of(etcd.endpoint())), REGION);
    }

    private static ApplicationProcess startAgent(String name, Path kubeconfig) {
        return ApplicationProcess.start(
                name,
                directory.resolve(name),
                Map.of(
                        "forebay.role",
                        "agent",
                        "forebay.region",
                        REGION.value(),
                        "forebay.etcd.endpoints",
                        etcd.endpoint().toString(),
                        "forebay.temporal.target",
                        temporal.target(),
                        "forebay.node-labels.enabled",
                        "true",
                        "forebay.node-labels.interval",
                        "1S"),
                Map.of("KUBECONFIG", kubeconfig.toString()));
    }

    @AfterAll
    static void stop() {
        region.close();
        otherAgent.close();
        agent.close();
        cluster.close();
        temporal.close();
        etcd.close();
    }

    @AfterEach
    void sayNothing() {
        for (int i = 0; i < 3; i++) {
            say("gpu-" + i, Duration.ofSeconds(1));
        }
        Await.until("no labels", () -> ours("gpu-0").isEmpty() && ours("gpu-1").isEmpty());
    }

    /** Reports as a pod that has just begun to serve the node. */
    private static void say(String node, Duration life, DatasetVersion... versions) {
        NodeEntry entry = region.node(new NodeName(node), life);
        Await.until("the report is in etcd", () -> isSaid(entry, versions));
    }

    /** Returns false if etcd refuses, as it may when it has just restarted. */
    private static boolean isSaid(NodeEntry entry, DatasetVersion... versions) {
        try {
            return entry.say(List.of(versions));
        } catch (ForebayException e) {
            return false;
        }
    }

    /** Returns the nodes with a report. */
    private static List<String> speaking() {
        return region.nodes().stream().map(report -> report.node().value()).toList();
    }

    private static Map<String, String> labels(String node) {
        Node found = Objects.requireNonNull(client.nodes().withName(node).get());
        return found.getMetadata().getLabels();
    }

    private static Map<String, String> ours(String node) {
        Map<String, String> ours = new TreeMap<>(labels(node));
        ours.keySet().removeIf(key -> !key.startsWith(LABELS.prefix()));
        return ours;
    }

    private static void awaitLabels(String node, DatasetVersion... versions) {
        Map<String, String> wanted = LABELS.of(List.of(versions));
        Await.until("%s has %s".formatted(node, wanted.values()), () -> ours(node).equals(wanted));
    }

    /** Returns how many of an agent's requests failed. */
    private static long refusals(ApplicationProcess process) {
        try {
            return Files.readAllLines(process.log()).stream()
                    .filter(line -> line.contains("The update of node labels failed"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitRefusals(String why) {
        long before = refusals(agent);
        long beforeOther = refusals(otherAgent);
        Await.until(
                why, () -> refusals(agent) > before + 1 && refusals(otherAgent) > beforeOther + 1);
    }

    @Test
    void agentsAddAndRemoveTheirNodeLabelsAndKeepOthers() {
        say("gpu-0", LONG, DIGITS, WORDS);
        say("gpu-1", LONG, WORDS);
        awaitLabels("gpu-0", DIGITS, WORDS);
        awaitLabels("gpu-1", WORDS);
        assertThat(ours("gpu-2")).isEmpty();
        assertThat(client.nodes().withLabel(LABELS.key(WORDS)).list().getItems())
                .extracting(node -> node.getMetadata().getName())
                .containsExactlyInAnyOrder("gpu-0", "gpu-1");

        say("gpu-0", LONG, WORDS);
        awaitLabels("gpu-0", WORDS);
        say("gpu-1", Duration.ofSeconds(1), WORDS);
        awaitLabels("gpu-1");

        for (String node : List.of("gpu-0", "gpu-1", "gpu-2")) {
            assertThat(labels(node)).containsAllEntriesOf(FOREIGN);
        }
    }

    @Test
    void agentsRestoreNodeLabelsThatOthersChanged() {
        say("gpu-0", LONG, DIGITS);
        awaitLabels("gpu-0", DIGITS);

        client.nodes()
                .withName("gpu-0")
                .edit(
                        node -> {
                            node.getMetadata().getLabels().remove(LABELS.key(DIGITS));
                            node.getMetadata().getLabels().put(LABELS.key(WORDS), "made-up");
                            return node;
                        });

        awaitLabels("gpu-0", DIGITS);
    }

    @Test
    void agentsKeepNodeLabelsWhileEtcdIsDown() {
        say("gpu-0", LONG, DIGITS);
        awaitLabels("gpu-0", DIGITS);

        etcd.kill9();
        try {
            awaitRefusals("requests to etcd fail");
            assertThat(ours("gpu-0")).isEqualTo(LABELS.of(List.of(DIGITS)));
        } finally {
            etcd.restart();
        }

        assertThat(ours("gpu-0")).isEqualTo(LABELS.of(List.of(DIGITS)));
        say("gpu-0", LONG, WORDS);
        awaitLabels("gpu-0", WORDS);
    }

    @Test
    void agentsApplyNodeReportsOnceTheApiServerIsBack() {
        say("gpu-0", LONG, DIGITS);
        awaitLabels("gpu-0", DIGITS);

        cluster.apiServer().kill9();
        try {
            say("gpu-0", LONG, WORDS);
            say("gpu-1", LONG, DIGITS);
            awaitRefusals("requests to the API server fail");
        } finally {
            cluster.apiServer().restart();
        }

        awaitLabels("gpu-0", WORDS);
        awaitLabels("gpu-1", DIGITS);
    }

    @Test
    void restartedAgentsApplyTheNodeReportsThatTheyMissed() {
        say("gpu-0", LONG, DIGITS);
        awaitLabels("gpu-0", DIGITS);
        agent.kill9();
        otherAgent.kill9();
        try {
            say("gpu-0", Duration.ofSeconds(1), DIGITS);
            say("gpu-1", LONG, WORDS);
            Await.until("the report of gpu-0 has expired", () -> !speaking().contains("gpu-0"));
            assertThat(ours("gpu-0")).as("no agent runs").isNotEmpty();
        } finally {
            agent.restart();
            otherAgent.restart();
        }

        awaitLabels("gpu-0");
        awaitLabels("gpu-1", WORDS);
    }

    @Test
    void agentsLabelEachOfManyNodes() {
        List<String> names = cluster.addNodes("pool", MANY, FOREIGN);
        try {
            names.forEach(node -> say(node, LONG, DIGITS));
            Await.until(
                    "all labelled",
                    Duration.ofMinutes(3),
                    () ->
                            client.nodes().withLabel(LABELS.key(DIGITS)).list().getItems().size()
                                    == MANY);
        } finally {
            names.forEach(node -> client.nodes().withName(node).delete());
        }
    }
}
