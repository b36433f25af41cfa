package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetSpec;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerSpec;
import io.fabric8.kubernetes.api.model.autoscaling.v2.PodsMetricSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;

/** Checks workers and their disks, and the etcd that the chart may install beside them. */
class WorkersTest {

    private static final String WORKER = "worker";
    private static final String DISKS =
            "{region: {workers: {storage: {hostPaths: [/disks/1/forebay, /disks/2/forebay]}}}}";

    private static StatefulSetSpec workers(String... more) {
        return release(more).one(StatefulSet.class, WORKER).getSpec();
    }

    private static Release release(String... more) {
        String[] values = new String[more.length + 1];
        values[0] = Chart.REGION;
        System.arraycopy(more, 0, values, 1, more.length);
        return Chart.render(values);
    }

    @Test
    void eachDiskIsAVolumeClaimOfItsWorker() {
        StatefulSetSpec spec =
                workers(
                        """
                        region:
                          workers:
                            storage: {claims: 2, storageClass: local-nvme, size: 3Ti}
                        """);

        assertThat(spec.getVolumeClaimTemplates())
                .extracting(claim -> claim.getMetadata().getName())
                .containsExactly("disk-0", "disk-1");
        PersistentVolumeClaim claim = spec.getVolumeClaimTemplates().getFirst();
        assertThat(claim.getSpec().getStorageClassName()).isEqualTo("local-nvme");
        assertThat(claim.getSpec().getResources().getRequests())
                .containsEntry("storage", new Quantity("3Ti"));
    }

    @Test
    void anUninstallDeletesVolumeClaimsUnlessKeepIsSet() {
        assertThat(workers().getPersistentVolumeClaimRetentionPolicy().getWhenDeleted())
                .isEqualTo("Delete");
        StatefulSetSpec kept = workers("{region: {workers: {storage: {keep: true}}}}");
        assertThat(kept.getPersistentVolumeClaimRetentionPolicy().getWhenDeleted())
                .isEqualTo("Retain");
        assertThat(kept.getPersistentVolumeClaimRetentionPolicy().getWhenScaled())
                .isEqualTo("Retain");
    }

    @Test
    void hostPathsReplaceVolumeClaims() {
        Release release = release(DISKS);
        StatefulSetSpec spec = release.one(StatefulSet.class, WORKER).getSpec();

        assertThat(spec.getVolumeClaimTemplates()).isEmpty();
        assertThat(spec.getTemplate().getSpec().getVolumes())
                .filteredOn(volume -> volume.getHostPath() != null)
                .extracting(Volume::getHostPath)
                .extracting(path -> path.getPath() + " " + path.getType())
                .containsExactly("/disks/1/forebay Directory", "/disks/2/forebay Directory");
        assertThat(release.settings(WORKER))
                .containsEntry("forebay.worker.directory", "/disks/0/store,/disks/1/store");
    }

    /** The rule applies in addition to the user's affinity. */
    @Test
    void workersWithHostPathsRunOnDifferentNodes() {
        StatefulSetSpec spec =
                workers(
                        DISKS,
                        """
                        region:
                          workers:
                            affinity:
                              podAntiAffinity:
                                requiredDuringSchedulingIgnoredDuringExecution:
                                  - {topologyKey: rack, labelSelector: {matchLabels: {a: b}}}
                        """);

        List<PodAffinityTerm> apart =
                spec.getTemplate()
                        .getSpec()
                        .getAffinity()
                        .getPodAntiAffinity()
                        .getRequiredDuringSchedulingIgnoredDuringExecution();
        assertThat(apart)
                .extracting(PodAffinityTerm::getTopologyKey)
                .containsExactly("rack", "kubernetes.io/hostname");
        assertThat(apart.getLast().getLabelSelector().getMatchLabels())
                .isEqualTo(spec.getSelector().getMatchLabels());
    }

    @Test
    void workersSpreadOverNodesAndZones() {
        StatefulSetSpec spec = workers();

        assertThat(spec.getTemplate().getSpec().getTopologySpreadConstraints())
                .extracting(TopologySpreadConstraint::getTopologyKey)
                .containsExactly("kubernetes.io/hostname", "topology.kubernetes.io/zone");
        assertThat(spec.getTemplate().getSpec().getTopologySpreadConstraints())
                .allSatisfy(
                        it ->
                                assertThat(it.getLabelSelector().getMatchLabels())
                                        .isEqualTo(spec.getSelector().getMatchLabels()));
    }

    @Test
    void aWorkerHasTimeToHandOverItsChunks() {
        assertThat(workers().getTemplate().getSpec().getTerminationGracePeriodSeconds())
                .isEqualTo(30);
        assertThat(
                        workers("{region: {workers: {drainSeconds: 1800}}}")
                                .getTemplate()
                                .getSpec()
                                .getTerminationGracePeriodSeconds())
                .isEqualTo(1830);
    }

    /** Only workers need the key. Clients of workers get the certificate authority. */
    @Test
    void onlyWorkersGetTheirTlsKey() {
        Release release = release("{region: {workers: {tlsSecret: worker-tls}}}");

        release.pods()
                .forEach(
                        (component, pod) ->
                                pod.getSpec().getVolumes().stream()
                                        .filter(it -> it.getSecret() != null)
                                        .filter(
                                                it ->
                                                        it.getSecret()
                                                                .getSecretName()
                                                                .equals("worker-tls"))
                                        .forEach(
                                                it ->
                                                        assertThat(it.getSecret().getItems().size())
                                                                .as(component)
                                                                .isEqualTo(
                                                                        component.equals(WORKER)
                                                                                ? 0
                                                                                : 1)));
        assertThat(release.pod("agent").getSpec().getVolumes())
                .extracting(Volume::getName)
                .contains("worker-ca");
    }

    @Test
    void theAutoscalerUsesPinnedAndEvictedChunks() throws IOException {
        HorizontalPodAutoscalerSpec spec =
                release("{region: {workers: {capacity: 800G, autoscaling: {enabled: true}}}}")
                        .one(HorizontalPodAutoscaler.class, WORKER)
                        .getSpec();
        List<PodsMetricSource> metrics =
                spec.getMetrics().stream().map(metric -> metric.getPods()).toList();
        String documented = Files.readString(Path.of("../docs/metrics.md"));

        assertThat(metrics.getFirst().getTarget().getAverageValue())
                .as("80 % of 800 GiB in chunks of 8 MiB")
                .isEqualTo(new Quantity("81920"));
        assertThat(documented)
                .contains("`" + metrics.getFirst().getMetric().getName() + "`")
                .contains("`" + metrics.getLast().getMetric().getName() + "_total`");
        assertThat(spec.getBehavior().getScaleDown().getSelectPolicy()).isEqualTo("Disabled");
    }

    @Test
    void scaleDownWaitsForEachDrain() {
        HorizontalPodAutoscalerSpec spec =
                release(
                                """
                                region:
                                  workers:
                                    drainSeconds: 900
                                    autoscaling: {enabled: true, scaleDown: true}
                                """)
                        .one(HorizontalPodAutoscaler.class, WORKER)
                        .getSpec();

        assertThat(spec.getBehavior().getScaleDown().getSelectPolicy()).isNull();
        assertThat(spec.getBehavior().getScaleDown().getPolicies().getFirst().getPeriodSeconds())
                .isEqualTo(900);
    }

    /**
     * Three members on one node are no more uneven than three on three nodes, unless the constraint
     * demands a minimum of nodes.
     */
    @Test
    void etcdMembersRunOnDifferentNodesUnlessSpreadIsPreferred() {
        assertThat(spread("{region: {etcd: {members: 5}}}"))
                .containsExactly(
                        tuple("kubernetes.io/hostname", "DoNotSchedule", 5),
                        tuple("topology.kubernetes.io/zone", "ScheduleAnyway", null));
        assertThat(spread("{region: {etcd: {spread: preferred}}}"))
                .containsExactly(
                        tuple("kubernetes.io/hostname", "ScheduleAnyway", null),
                        tuple("topology.kubernetes.io/zone", "ScheduleAnyway", null));
    }

    private static List<Tuple> spread(String values) {
        return release(values)
                .one(StatefulSet.class, "etcd")
                .getSpec()
                .getTemplate()
                .getSpec()
                .getTopologySpreadConstraints()
                .stream()
                .map(
                        it ->
                                tuple(
                                        it.getTopologyKey(),
                                        it.getWhenUnsatisfiable(),
                                        it.getMinDomains()))
                .toList();
    }

    @Test
    void membersAndClientsOfEtcdKnowAllMembers() {
        Release release = release("{region: {etcd: {members: 5}}}");
        Map<String, String> environment = release.environment("etcd");
        String own = environment.getOrDefault("ETCD_INITIAL_ADVERTISE_PEER_URLS", "");
        String client = environment.getOrDefault("ETCD_ADVERTISE_CLIENT_URLS", "");

        assertThat(release.one(StatefulSet.class, "etcd").getSpec().getReplicas()).isEqualTo(5);
        String[] members = environment.getOrDefault("ETCD_INITIAL_CLUSTER", "").split(",", -1);
        String[] endpoints =
                release.settings(WORKER).getOrDefault("forebay.etcd.endpoints", "").split(",", -1);
        assertThat(environment).containsEntry("ETCD_INITIAL_CLUSTER_STATE", "new");
        assertThat(release("{region: {etcd: {clusterState: existing}}}").environment("etcd"))
                .containsEntry("ETCD_INITIAL_CLUSTER_STATE", "existing");
        assertThat(members).hasSize(5);
        assertThat(endpoints).hasSize(5);
        for (int i = 0; i < 5; i++) {
            String name = "r-forebay-etcd-" + i;
            assertThat(members[i]).isEqualTo(name + "=" + own.replace("$(ETCD_NAME)", name));
            assertThat(endpoints[i]).isEqualTo(client.replace("$(ETCD_NAME)", name));
        }
        assertThat(release.container("etcd", "etcd").getPorts())
                .extracting(port -> "http://0.0.0.0:" + port.getContainerPort())
                .containsExactly(
                        environment.get("ETCD_LISTEN_CLIENT_URLS"),
                        environment.get("ETCD_LISTEN_PEER_URLS"),
                        environment.get("ETCD_LISTEN_METRICS_URLS"));
        assertThat(own).endsWith(":2380");
        assertThat(client).endsWith(":2379");
    }
}
