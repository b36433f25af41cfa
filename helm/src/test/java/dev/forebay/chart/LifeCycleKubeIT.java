package dev.forebay.chart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.kubernetes.KubernetesCluster;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Runs a release from {@code helm install} to {@code helm uninstall} on a real API server, with its
 * admission, controllers and scheduler. Containers do not run: every pod is ready at once.
 */
@SuppressWarnings("NullAway.Init")
class LifeCycleKubeIT {

    private static final String FUSE = "fuse";
    private static final String HOLDER = "holder";
    private static final String WORKER = "worker";
    private static final String CONTROL_PLANE = "control-plane";

    /** The taint of nodes that need mounts and accept no other pods. */
    private static final String GPU = "nvidia.com/gpu";

    private static final String ON_GPU_NODES =
            "{region: {node: {nodeSelector: {nvidia.com/gpu.present: 'true'}}}}";

    private static final String FINALIZER = "forebay.dev/release";

    /** The prefix of the keys of the region's node labels. */
    private static final String LABELS = "us-east-1.warm.forebay.dev/";

    private static final Map<String, String> OF_OTHERS =
            Map.of("pool", "disks", "other-1.warm.forebay.dev/5d0c81f2a6", "words_v1");

    /** A release that adds labels to nodes and finalizers to Datasets. */
    private static final String[] MARKING = {
        Chart.CONTROL_PLANE,
        Chart.REGION,
        HookPod.VALUES,
        """
        controlPlane: {datasets: {enabled: true}}
        region: {nodeLabels: {enabled: true}, etcd: {endpoints: ["http://etcd:2379"]}}
        """
    };

    @TempDir private static Path directory;

    private static KubernetesCluster cluster;
    private static KubernetesClient client;
    private static List<String> diskNodes;
    private static Set<String> gpuNodes;

    @BeforeAll
    static void startCluster() {
        cluster = KubernetesCluster.start(directory.resolve("cluster"));
        client = cluster.client();
        Site.prepare(client, Chart.NAMESPACE, "privileged");
        diskNodes = cluster.addNodes("disk", 3, Map.of());
        gpuNodes =
                Set.copyOf(
                        cluster.addNodes(
                                "gpu",
                                2,
                                Map.of("nvidia.com/gpu.present", "true"),
                                new TaintBuilder().withKey(GPU).withEffect("NoSchedule").build()));
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    private static Installation installation(String namespace) {
        return new Installation(cluster, directory.resolve("helm"), namespace);
    }

    private static void assertLeftNothingBut(NavigableSet<String> before) {
        Await.untilAsserted(
                () -> assertThat(Inventory.of(client)).containsExactlyElementsOf(before));
    }

    @ParameterizedTest
    @FieldSource("dev.forebay.chart.RolesTest#RELEASES")
    @Tag("slice")
    void theApiServerAcceptsEveryRenderedObject(List<String> values) {
        Release release = Chart.render(values.toArray(String[]::new));

        for (HasMetadata object : release.objects()) {
            if (object instanceof GenericKubernetesResource) {
                continue; // For a Prometheus operator, which this cluster does not have.
            }
            assertThat(client.resource(object).dryRun().create().getMetadata().getName())
                    .isEqualTo(object.getMetadata().getName());
        }
    }

    @Test
    @Tag("slice")
    void aControlPlaneRunsInARestrictedNamespace() {
        Site site = Site.prepare(client, "control", "restricted");
        NavigableSet<String> before = Inventory.of(client);
        Installation release = installation("control");

        release.install(Chart.CONTROL_PLANE);
        site.awaitReady(CONTROL_PLANE, 2);
        Set<String> first = site.pods(CONTROL_PLANE).keySet();
        String settings = site.settings(CONTROL_PLANE);

        release.upgrade(
                Chart.CONTROL_PLANE,
                "{controlPlane: {replicas: 3, settings: {forebay.default-ttl: 3D}}}");
        site.awaitReady(CONTROL_PLANE, 3);
        assertThat(site.pods(CONTROL_PLANE)).doesNotContainKeys(first.toArray(String[]::new));
        assertThat(site.settings(CONTROL_PLANE)).contains("forebay.default-ttl=3D");

        release.rollback(1);
        site.awaitReady(CONTROL_PLANE, 2);
        assertThat(site.settings(CONTROL_PLANE)).isEqualTo(settings);
        assertThat(release.revisions()).containsExactly("superseded", "superseded", "deployed");

        release.uninstall();
        assertLeftNothingBut(before);
    }

    @Test
    @Tag("slice")
    void anUpgradeFromAnEarlierChartKeepsMountsAndChunks() throws IOException {
        Site site = Site.prepare(client, "both", "privileged").withDisks(diskNodes);
        NavigableSet<String> before = Inventory.of(client);
        Installation release = installation("both");
        String csi = "{region: {csi: {enabled: true}}}";
        String[] values = {Chart.CONTROL_PLANE, Chart.REGION, ON_GPU_NODES, site.values(), csi};

        release.by(Chart.ofVersion("0.0.9", directory.resolve("before"))).install(values);
        awaitAll(site);
        site.awaitReady(CONTROL_PLANE, 2);
        site.awaitReady("csi", 2);
        assertThat(site.pods(HOLDER).values())
                .extracting(LifeCycleKubeIT::node)
                .hasSameElementsAs(gpuNodes);
        assertThat(site.pods(WORKER).values())
                .extracting(LifeCycleKubeIT::node)
                .hasSameElementsAs(diskNodes);
        assertThat(site.may("agent", "list", "batch", "jobs")).isTrue();
        assertThat(site.may("agent", "delete", "batch", "jobs")).isFalse();
        assertThat(site.may("agent", "list", "", "secrets")).isFalse();
        assertThat(site.may(WORKER, "list", "batch", "jobs")).isFalse();
        Map<String, Pod> holders = site.pods(HOLDER);
        Map<String, Pod> fuses = site.pods(FUSE);
        Map<String, Pod> workers = site.pods(WORKER);
        Map<String, String> claims = site.claims();
        String settings = site.settings(WORKER);
        assertThat(claims).hasSize(6).doesNotContainValue("none yet");

        release.upgrade(
                with(
                        values,
                        """
                        region:
                          fuse: {memoryCache: 128M}
                          holder: {jvmOptions: [-Xmx48m]}
                          workers: {settings: {forebay.worker.files: 6000000}}
                        """));
        awaitAll(site);
        assertThat(site.pods(HOLDER)).containsOnlyKeys(holders.keySet());
        assertThat(site.pods(FUSE)).doesNotContainKeys(fuses.keySet().toArray(String[]::new));
        assertThat(site.pods(WORKER)).doesNotContainKeys(workers.keySet().toArray(String[]::new));
        assertThat(site.claims()).isEqualTo(claims);
        assertThat(site.settings(WORKER)).contains("forebay.worker.files=6000000");

        release.rollback(1);
        awaitAll(site);
        assertThat(site.pods(HOLDER)).containsOnlyKeys(holders.keySet());
        assertThat(site.claims()).isEqualTo(claims);
        assertThat(site.settings(WORKER)).isEqualTo(settings);

        release.uninstall();
        assertLeftNothingBut(before);
    }

    @Test
    void aRefusedUpgradeCanBeRolledBack() {
        Site site = Site.prepare(client, "refused", "privileged").withDisks(diskNodes);
        NavigableSet<String> before = Inventory.of(client);
        Installation release = installation("refused");
        String[] values = {Chart.REGION, ON_GPU_NODES, site.values()};
        release.install(values);
        awaitAll(site);
        Map<String, Pod> workers = site.pods(WORKER);

        assertThat(
                        release.upgradeRefusal(
                                with(values, "{region: {workers: {storage: {claims: 2}}}}")))
                .contains("r-forebay-worker", "updates to statefulset spec");
        assertThat(release.revisions()).containsExactly("deployed", "failed");
        assertThat(site.pods(WORKER)).containsOnlyKeys(workers.keySet());

        release.rollback(1);
        awaitAll(site);
        assertThat(release.revisions().getLast()).isEqualTo("deployed");
        assertThat(site.pods(WORKER)).containsOnlyKeys(workers.keySet());

        release.uninstall();
        assertLeftNothingBut(before);
    }

    /**
     * The agent keeps its key in the Secret of the chart, and writes the CA bundle into the
     * webhook.
     */
    @Test
    void anUpgradeKeepsTheWebhookCertificatesOfTheAgent() {
        Site site = Site.prepare(client, "hooked", "privileged").withDisks(diskNodes);
        NavigableSet<String> before = Inventory.of(client);
        Installation release = installation("hooked");
        String[] values = {
            Chart.CONTROL_PLANE,
            Chart.REGION,
            ON_GPU_NODES,
            site.values(),
            "{region: {webhook: {enabled: true}}}"
        };
        release.install(values);
        String key = base64("a key");
        String authority = base64(site.clusterAuthority());
        site.webhookSecret().edit(it -> new SecretBuilder(it).addToData("key", key).build());
        site.webhooks()
                .edit(
                        it -> {
                            it.getWebhooks()
                                    .forEach(hook -> hook.getClientConfig().setCaBundle(authority));
                            return it;
                        });

        release.upgrade(with(values, "{region: {webhook: {timeoutSeconds: 3}}}"));

        assertThat(site.webhookSecret().require().getData()).containsEntry("key", key);
        assertThat(site.webhooks().require().getWebhooks())
                .hasSize(2)
                .allSatisfy(
                        hook -> {
                            assertThat(hook.getTimeoutSeconds()).isEqualTo(3);
                            assertThat(hook.getClientConfig().getCaBundle()).isEqualTo(authority);
                        });

        release.uninstall();
        assertLeftNothingBut(before);
    }

    @Test
    void theNextReleaseFindsTheVolumesAndDatasetsThatWereKept() {
        Site site = Site.prepare(client, "kept", "privileged").withDisks(diskNodes);
        NavigableSet<String> before = Inventory.of(client);
        Installation release = installation("kept");
        String keep =
                """
                controlPlane: {datasets: {enabled: true}}
                region: {workers: {storage: {keep: true}}, etcd: {storage: {keep: true}}}
                """;
        String[] values = {Chart.CONTROL_PLANE, Chart.REGION, ON_GPU_NODES, site.values(), keep};
        release.install(values);
        awaitAll(site);
        Map<String, String> claims = site.claims();
        site.declareDataset("ko-bert");
        NavigableSet<String> kept = new TreeSet<>(before);
        kept.add("customresourcedefinitions datasets.forebay.dev");
        kept.add("apiservices v1alpha1.forebay.dev"); // created with its first CRD
        kept.add("datasets kept/ko-bert");
        claims.keySet().forEach(claim -> kept.add("persistentvolumeclaims kept/" + claim));

        release.uninstall();
        assertLeftNothingBut(kept);
        assertThat(claims).hasSize(6);
        assertThat(site.claims()).isEqualTo(claims);

        release.install(values);
        awaitAll(site);
        assertThat(site.claims()).isEqualTo(claims);

        release.uninstall();
        assertLeftNothingBut(kept);
        site.removeWhatWasKept();
        assertLeftNothingBut(before);
    }

    /** A Job removes them. It complies with the strictest standard and has only its own rights. */
    @Test
    @Tag("slice")
    void anUninstallRemovesNodeLabelsAndDatasetFinalizers() throws Exception {
        Site site = Site.prepare(client, "tidy", "restricted");
        NavigableSet<String> before = Inventory.of(client);
        Installation release = installation("tidy");
        release.installWithoutWaiting(MARKING);
        mark(site);
        assertThat(site.may("agent", "patch", "", "nodes")).isTrue();
        assertThat(site.may(CONTROL_PLANE, "patch", "forebay.dev", "datasets")).isTrue();

        CompletableFuture<Void> uninstalled = CompletableFuture.runAsync(release::uninstall);
        HookPod hook = HookPod.await(cluster, site, "clean-up", directory);
        assertThat(site.may("agent", "patch", "", "nodes")).as("while it runs").isFalse();
        assertThat(site.may(CONTROL_PLANE, "patch", "forebay.dev", "datasets")).isFalse();
        String owner = "meta.helm.sh/release-name";
        ownDefinition(site, owner, "another");
        assertThat(hook.run()).contains("removed labels", "left the finalizers", "tidy/another");
        assertThat(finalizers(site, "ko-bert")).containsExactly(FINALIZER);
        ownDefinition(site, owner, Chart.RELEASE);
        assertThat(hook.run())
                .contains("removed labels us-east-1.warm.forebay.dev/* from 0 nodes")
                .contains("removed the finalizer forebay.dev/release from 3 Datasets");
        hook.succeed();
        uninstalled.get(1, TimeUnit.MINUTES);

        assertUnmarked(site);
        NavigableSet<String> kept = new TreeSet<>(before);
        kept.add("customresourcedefinitions datasets.forebay.dev");
        kept.add("apiservices v1alpha1.forebay.dev");
        assertLeftNothingBut(kept);
        site.removeWhatWasKept();
        assertLeftNothingBut(before);
    }

    @Test
    void anUpgradeRemovesTheLabelsAndFinalizersOfDisabledFeatures() throws Exception {
        Site site = Site.prepare(client, "switched", "restricted");
        NavigableSet<String> before = Inventory.of(client);
        Installation release = installation("switched");
        release.installWithoutWaiting(MARKING);
        mark(site);
        String[] off =
                with(
                        MARKING,
                        "{controlPlane: {datasets: {enabled: false}}, region: {nodeLabels: {enabled: false}}}");

        CompletableFuture<Void> upgraded =
                CompletableFuture.runAsync(() -> release.upgradeWithoutWaiting(off));
        HookPod hook = HookPod.await(cluster, site, "switch-off", directory);
        assertThat(site.may("agent", "patch", "", "nodes")).as("while it runs").isFalse();
        assertThat(site.may(CONTROL_PLANE, "patch", "forebay.dev", "datasets")).isFalse();
        assertThat(hook.run()).contains("from 1 nodes", "from 3 Datasets");
        hook.succeed();
        upgraded.get(1, TimeUnit.MINUTES);
        assertUnmarked(site);

        // No objects are left to wait for.
        release.upgradeWithoutWaiting(off);
        release.uninstall();
        site.removeWhatWasKept();
        assertLeftNothingBut(before);
    }

    /**
     * Adds the labels and finalizers that agents and control planes of the release add, and others.
     */
    private static void mark(Site site) {
        client.nodes()
                .withName("disk-0")
                .edit(
                        node -> {
                            node.getMetadata().getLabels().putAll(OF_OTHERS);
                            node.getMetadata().getLabels().put(LABELS + "5d0c81f2a6", "words_v1");
                            node.getMetadata().getLabels().put(LABELS + "81f2a65d0c", "words_v2");
                            return node;
                        });
        Await.untilAsserted(() -> site.declareDataset("ko-bert", FINALIZER));
        site.declareDataset("of-others", "example.com/other", FINALIZER);
        site.declareDataset("going", FINALIZER);
        site.dataset("going").delete();
    }

    private static void assertUnmarked(Site site) {
        assertThat(client.nodes().withName("disk-0").require().getMetadata().getLabels())
                .containsAllEntriesOf(OF_OTHERS)
                .allSatisfy((key, value) -> assertThat(key).doesNotStartWith(LABELS));
        assertThat(finalizers(site, "ko-bert")).isEmpty();
        assertThat(finalizers(site, "of-others")).containsExactly("example.com/other");
        assertThat(site.dataset("going").get()).isNull();
        site.dataset("of-others")
                .edit(
                        it -> {
                            it.getMetadata().setFinalizers(List.of());
                            return it;
                        });
        for (String dataset : List.of("ko-bert", "of-others")) {
            site.dataset(dataset).delete();
            Await.untilAsserted(() -> assertThat(site.dataset(dataset).get()).isNull());
        }
    }

    private static List<String> finalizers(Site site, String dataset) {
        return site.dataset(dataset).require().getMetadata().getFinalizers();
    }

    private static void ownDefinition(Site site, String annotation, String value) {
        site.definition()
                .edit(
                        it -> {
                            it.getMetadata().getAnnotations().put(annotation, value);
                            return it;
                        });
    }

    @Test
    void enablingAnAutoscalerKeepsTheNumberOfWorkers() {
        Site site = Site.prepare(client, "scaled", "privileged").withDisks(diskNodes);
        NavigableSet<String> before = Inventory.of(client);
        Installation release = installation("scaled");
        String[] values = {Chart.REGION, ON_GPU_NODES, site.values()};
        release.install(values);
        awaitAll(site);
        Set<String> workers = site.pods(WORKER).keySet();
        Map<String, String> claims = site.claims();

        String[] scaled =
                with(values, "{region: {workers: {autoscaling: {enabled: true, minReplicas: 2}}}}");
        release.upgrade(scaled);
        release.upgrade(with(scaled, "{region: {fuse: {memoryCache: 128M}}}"));

        awaitAll(site);
        assertThat(site.pods(WORKER)).containsOnlyKeys(workers);
        assertThat(site.claims()).isEqualTo(claims);

        release.uninstall();
        assertLeftNothingBut(before);
    }

    @Test
    void anAutoscalerOfANewReleaseStartsItsMinimumOfReplicas() {
        Site site = Site.prepare(client, "fresh", "restricted");
        NavigableSet<String> before = Inventory.of(client);
        Installation release = installation("fresh");

        release.install(
                Chart.CONTROL_PLANE,
                "{controlPlane: {autoscaling: {enabled: true, minReplicas: 3}}}");
        site.awaitReady(CONTROL_PLANE, 3);

        release.uninstall();
        assertLeftNothingBut(before);
    }

    /** All pods of a region except those on nodes comply with the strictest standard. */
    @Test
    void aRestrictedNamespaceRefusesOnlyPodsThatMount() {
        Site site = Site.prepare(client, "strict", "restricted").withDisks(diskNodes);
        NavigableSet<String> before = Inventory.of(client);
        Installation release = installation("strict");

        release.installWithoutWaiting(Chart.REGION, ON_GPU_NODES, site.values());
        site.awaitReady(WORKER, 3);
        site.awaitReady("etcd", 3);
        site.awaitReady("agent", 1);
        for (String component : List.of(HOLDER, FUSE)) {
            Await.untilAsserted(
                    () ->
                            assertThat(site.events("r-forebay-" + component))
                                    .anyMatch(
                                            event ->
                                                    event.startsWith("FailedCreate")
                                                            && event.contains(
                                                                    "violates PodSecurity"
                                                                            + " \"restricted")));
            assertThat(site.pods(component)).isEmpty();
        }

        release.uninstall();
        assertLeftNothingBut(before);
    }

    private static void awaitAll(Site site) {
        site.awaitReady("agent", 1);
        site.awaitReady("etcd", 3);
        site.awaitReady(WORKER, 3);
        site.awaitReady(HOLDER, 2);
        site.awaitReady(FUSE, 2);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private static String node(Pod pod) {
        return pod.getSpec().getNodeName();
    }

    private static String[] with(String[] values, String more) {
        String[] all = Arrays.copyOf(values, values.length + 1);
        all[values.length] = more;
        return all;
    }
}
