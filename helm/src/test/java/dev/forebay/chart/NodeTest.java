package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HostPathVolumeSource;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetUpdateStrategy;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Checks the pods that mount on nodes: a holder that stays, and FUSE pods that come and go. */
class NodeTest {

    private static final String HOLDER = "holder";
    private static final String FUSE = "fuse";

    private final Release release = Chart.render(Chart.REGION);

    private DaemonSetUpdateStrategy strategy(String component) {
        return release.one(DaemonSet.class, component).getSpec().getUpdateStrategy();
    }

    private static HostPathVolumeSource hostPath(Release release, String component, String name) {
        return release.pod(component).getSpec().getVolumes().stream()
                .filter(volume -> volume.getName().equals(name))
                .map(Volume::getHostPath)
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
    }

    private static VolumeMount mount(Container container, String name) {
        return container.getVolumeMounts().stream()
                .filter(mount -> mount.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anUpgradeDoesNotRestartTheHolder() {
        assertThat(strategy(HOLDER).getType()).isEqualTo("OnDelete");
        assertThat(release.environment(HOLDER)).containsEntry("FOREBAY_FUSE_UNMOUNT", "false");
    }

    /**
     * Otherwise a release that is uninstalled, or a node that leaves it, would keep a dead mount.
     */
    @Test
    void aHolderOutlivesThePodsThatEndWithIt() {
        String setting = release.environment(HOLDER).get("FOREBAY_FUSE_DRAIN");
        long drain = Long.parseLong(Objects.requireNonNull(setting));
        long pods = release.pod(FUSE).getSpec().getTerminationGracePeriodSeconds();
        assertThat(drain).isGreaterThanOrEqualTo(pods);
        assertThat(release.pod(HOLDER).getSpec().getTerminationGracePeriodSeconds())
                .isGreaterThan(drain);
    }

    @Test
    void anUpdateStartsTheNextPodBeforeTheOldOneStops() {
        assertThat(strategy(FUSE).getRollingUpdate().getMaxUnavailable().getIntVal()).isZero();
        assertThat(strategy(FUSE).getRollingUpdate().getMaxSurge().getStrVal()).isEqualTo("10%");
    }

    /** The pod needs 5 s to find a successor, 35 s to answer reads, and 10 s to close its packs. */
    @Test
    void aPodHasTimeToAnswerItsPendingReads() {
        assertThat(release.pod(FUSE).getSpec().getTerminationGracePeriodSeconds())
                .isGreaterThanOrEqualTo(50);
    }

    /** Two pods of a node run at the same time, so their lock files must not be on the node. */
    @Test
    void fuseContainersShareNoDirectoryOrPort() {
        List<Container> containers = release.pod(FUSE).getSpec().getContainers();
        Map<String, Volume> volumes = new TreeMap<>();
        release.pod(FUSE).getSpec().getVolumes().forEach(it -> volumes.put(it.getName(), it));

        assertThat(containers).extracting(Container::getName).containsExactly(FUSE, "standby");
        assertThat(containers)
                .extracting(it -> it.getPorts().getFirst().getContainerPort())
                .doesNotHaveDuplicates();
        for (Container container : containers) {
            Map<String, String> environment = Release.environment(container);
            VolumeMount own = mount(container, container.getName());
            assertThat(own.getMountPath()).isEqualTo(environment.get("FOREBAY_FUSE_DIRECTORY"));
            assertThat(Objects.requireNonNull(volumes.get(own.getName())).getEmptyDir())
                    .isNotNull();
            assertThat(environment)
                    .containsEntry(
                            "FOREBAY_FUSE_METRICS_PORT",
                            container.getPorts().getFirst().getContainerPort().toString());
        }
    }

    @Test
    void fuseContainersShareTheCacheAtThePathOfTheNode() {
        String cache = hostPath(release, FUSE, "cache").getPath();

        for (Container container : release.pod(FUSE).getSpec().getContainers()) {
            assertThat(mount(container, "cache").getMountPath()).isEqualTo(cache);
            assertThat(Release.environment(container))
                    .containsEntry("FOREBAY_FUSE_CACHE_DIRECTORY", cache);
        }
    }

    @Test
    void theHolderAndFusePodsUseTheSamePathsAsTheNode() {
        Release elsewhere =
                Chart.render(
                        Chart.REGION,
                        "{region: {mountRoot: /data/sets, holder: {directory: /run/x}}}");

        assertMeet(release, "/mnt/forebay", "/run/forebay");
        assertMeet(elsewhere, "/data/sets", "/run/x");
    }

    private static void assertMeet(Release release, String mountRoot, String directory) {
        for (String component : List.of(HOLDER, FUSE)) {
            for (Container container : release.pod(component).getSpec().getContainers()) {
                VolumeMount mounts = mount(container, "mounts");
                HostPathVolumeSource path = hostPath(release, component, "mounts");
                // Its parent, because an unmount in the root of a volume does not reach the node.
                assertThat(path.getPath())
                        .isEqualTo(mountRoot.substring(0, mountRoot.lastIndexOf('/')));
                assertThat(path.getType()).isEqualTo("Directory");
                assertThat(mounts.getMountPath()).isEqualTo(path.getPath());
                assertThat(mounts.getMountPropagation()).isEqualTo("Bidirectional");
                assertThat(container.getSecurityContext().getPrivileged()).isTrue();
                assertThat(hostPath(release, component, HOLDER).getPath()).isEqualTo(directory);
                assertThat(mount(container, HOLDER).getMountPath()).isEqualTo(directory);
            }
        }
        assertThat(release.environment(FUSE))
                .containsEntry(
                        "FOREBAY_FUSE_HOLDER",
                        release.environment(HOLDER).get("FOREBAY_FUSE_HOLDER"));
        assertThat(release.environment(HOLDER)).containsEntry("FOREBAY_FUSE_MOUNTPOINT", mountRoot);
    }

    /**
     * On a node without idle CPU a container gets only its request. A start takes up to 2 s of CPU.
     * If that exceeds the startup probe, the kubelet restarts the container forever.
     */
    @Test
    void everyContainerStartsWithinItsProbeOnABusyNode() {
        Release volumes = Chart.render(Chart.REGION, "{region: {csi: {enabled: true}}}");
        for (String component : List.of(HOLDER, FUSE, "csi")) {
            Container container = volumes.pod(component).getSpec().getContainers().getFirst();
            Probe start = container.getStartupProbe();
            Quantity request =
                    Objects.requireNonNull(container.getResources().getRequests().get("cpu"));
            double cpu = request.getNumericalAmount().doubleValue();
            assertThat(cpu * start.getPeriodSeconds() * start.getFailureThreshold())
                    .as(component)
                    .isGreaterThan(5);
        }
    }

    /** The container's own sysfs is read-only. */
    @Test
    void containersThatMountCanSetTheReadAheadOfTheKernel() {
        for (String component : List.of(HOLDER, FUSE)) {
            assertThat(hostPath(release, component, "sys").getPath()).isEqualTo("/sys");
            for (Container container : release.pod(component).getSpec().getContainers()) {
                VolumeMount sys = mount(container, "sys");
                assertThat(sys.getMountPath()).isEqualTo("/sys");
                assertThat(sys.getReadOnly()).isNull();
            }
        }
    }

    @Test
    void theHolderAndFusePodsRunOnTheSameNodes() {
        Release placed =
                Chart.render(
                        Chart.REGION,
                        """
                        region:
                          node:
                            nodeSelector: {gpu: "yes"}
                            tolerations: [{operator: Exists}]
                        """);

        for (String component : List.of(HOLDER, FUSE)) {
            assertThat(placed.pod(component).getSpec().getNodeSelector())
                    .containsExactlyEntriesOf(Map.of("gpu", "yes"));
            assertThat(placed.pod(component).getSpec().getTolerations()).hasSize(1);
        }
    }

    @Test
    void theHolderAndFusePodsHaveAHighPriority() {
        PriorityClass priority = release.one(PriorityClass.class, "node");

        assertThat(priority.getValue()).isEqualTo(100_000_000);
        assertThat(priority.getGlobalDefault()).isNull();
        for (String component : List.of(HOLDER, FUSE)) {
            assertThat(release.pod(component).getSpec().getPriorityClassName())
                    .isEqualTo(priority.getMetadata().getName());
        }
    }

    @Test
    void theChartUsesAnExistingPriorityClass() {
        Release given =
                Chart.render(
                        Chart.REGION,
                        "{region: {node: {priorityClassName: system-node-critical}}}");

        assertThat(given.all(PriorityClass.class)).isEmpty();
        assertThat(given.pod(HOLDER).getSpec().getPriorityClassName())
                .isEqualTo("system-node-critical");
    }

    @Test
    void theKubeletReachesTheHealthPortsOfHolderAndDriver() {
        Release with = Chart.render(Chart.REGION, "{region: {csi: {enabled: true}}}");

        for (String component : List.of(HOLDER, "csi")) {
            Container container = with.container(component, component);
            assertThat(container.getPorts()).hasSize(1);
            assertThat(Release.environment(container))
                    .containsEntry("FOREBAY_FUSE_HEALTH_ADDRESS", "0.0.0.0")
                    .containsEntry(
                            "FOREBAY_FUSE_HEALTH_PORT",
                            container.getPorts().getFirst().getContainerPort().toString());
            String port = container.getPorts().getFirst().getName();
            assertThat(container.getStartupProbe().getHttpGet().getPath())
                    .isEqualTo("/health/live");
            assertThat(container.getLivenessProbe().getHttpGet().getPath())
                    .isEqualTo("/health/live");
            assertThat(container.getReadinessProbe().getHttpGet().getPath())
                    .isEqualTo("/health/ready");
            assertThat(
                            List.of(
                                    container.getStartupProbe(),
                                    container.getLivenessProbe(),
                                    container.getReadinessProbe()))
                    .allMatch(it -> it.getHttpGet().getPort().getStrVal().equals(port))
                    // More than the process needs for its own answer.
                    .allMatch(it -> it.getTimeoutSeconds() > 3);
        }
    }

    @Test
    void theKubeletReachesTheHealthPortOfEachFuseContainer() {
        for (Container container : release.pod(FUSE).getSpec().getContainers()) {
            assertThat(Release.environment(container))
                    .containsEntry("FOREBAY_FUSE_METRICS_ADDRESS", "0.0.0.0");
            for (Probe probe :
                    List.of(
                            container.getStartupProbe(),
                            container.getLivenessProbe(),
                            container.getReadinessProbe())) {
                assertThat(probe.getHttpGet().getPort().getStrVal())
                        .isEqualTo(container.getPorts().getFirst().getName());
            }
            assertThat(container.getReadinessProbe().getHttpGet().getPath())
                    .isEqualTo("/health/ready");
            assertThat(container.getLivenessProbe().getHttpGet().getPath())
                    .isEqualTo("/health/live");
        }
    }
}
