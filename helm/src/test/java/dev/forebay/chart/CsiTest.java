package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Checks the CSI driver of a node, where a release has one. */
class CsiTest {

    private static final String CSI = "csi";
    private static final String ENABLED = "{region: {csi: {enabled: true}}}";
    private static final String SOCKET = "/var/lib/kubelet/plugins/csi.forebay.dev/csi.sock";

    private final Release release = Chart.render(Chart.REGION, ENABLED);

    private static VolumeMount mount(Container container, String name) {
        return container.getVolumeMounts().stream()
                .filter(mount -> mount.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, String> hostPaths(Release release) {
        Map<String, String> paths = new TreeMap<>();
        for (Volume volume : release.pod(CSI).getSpec().getVolumes()) {
            if (volume.getHostPath() != null) {
                paths.put(volume.getName(), volume.getHostPath().getPath());
            }
        }
        return paths;
    }

    @Test
    void theChartHasTheDriverOnlyIfEnabled() {
        Release without = Chart.render(Chart.REGION);

        assertThat(without.all(CSIDriver.class)).isEmpty();
        assertThat(without.pods()).doesNotContainKey(CSI);
        assertThat(release.pods()).containsKey(CSI);
    }

    @Test
    void theDriverSupportsInlineAndPersistentVolumes() {
        CSIDriver driver = release.one(CSIDriver.class, CSI);

        assertThat(driver.getMetadata().getName()).isEqualTo("csi.forebay.dev");
        assertThat(driver.getSpec().getVolumeLifecycleModes())
                .containsExactlyInAnyOrder("Ephemeral", "Persistent");
        assertThat(driver.getSpec().getAttachRequired()).isFalse();
        assertThat(driver.getSpec().getFsGroupPolicy()).isEqualTo("None");
    }

    /** The driver's mounts must appear on the node, at the path that the kubelet names. */
    @Test
    void theDriverMountsAtThePathsOfTheNode() {
        Container csi = release.container(CSI, CSI);

        assertThat(csi.getArgs()).containsExactly("csi");
        assertThat(mount(csi, "kubelet").getMountPath()).isEqualTo("/var/lib/kubelet");
        assertThat(mount(csi, "kubelet").getMountPropagation()).isEqualTo("Bidirectional");
        assertThat(mount(csi, "mounts").getMountPath()).isEqualTo("/mnt");
        assertThat(mount(csi, "mounts").getMountPropagation()).isEqualTo("HostToContainer");
        assertThat(csi.getSecurityContext().getPrivileged()).isTrue();
        for (String name : List.of("kubelet", "mounts")) {
            assertThat(mount(csi, name).getMountPath()).isEqualTo(hostPaths(release).get(name));
        }
    }

    /**
     * A mount below a directory that the container shares with the node stays there when it ends.
     */
    @Test
    void noVolumeIsMountedBelowABidirectionalMount() {
        Release all = Chart.render(Chart.REGION, ENABLED);

        for (String component : List.of(CSI, "fuse", "holder")) {
            for (Container container : all.pod(component).getSpec().getContainers()) {
                List<VolumeMount> mounts = container.getVolumeMounts();
                mounts.stream()
                        .filter(it -> "Bidirectional".equals(it.getMountPropagation()))
                        .forEach(
                                shared ->
                                        assertThat(mounts)
                                                .extracting(VolumeMount::getMountPath)
                                                .noneMatch(
                                                        it ->
                                                                it.startsWith(
                                                                        shared.getMountPath()
                                                                                + "/")));
            }
        }
    }

    @Test
    void theRegistrarGivesTheSocketOfTheDriverToTheKubelet() {
        Container registrar = release.container(CSI, "registrar");

        assertThat(Release.environment(release.container(CSI, CSI)))
                .containsEntry("FOREBAY_CSI_SOCKET", SOCKET);
        assertThat(registrar.getArgs())
                .containsExactly(
                        "--csi-address=" + SOCKET, "--kubelet-registration-path=" + SOCKET);
        assertThat(SOCKET)
                .startsWith(Objects.requireNonNull(hostPaths(release).get("plugin")) + "/");
        assertThat(mount(registrar, "plugin").getMountPath())
                .isEqualTo(hostPaths(release).get("plugin"));
        assertThat(hostPaths(release))
                .containsEntry("registration", "/var/lib/kubelet/plugins_registry");
        assertThat(mount(registrar, "registration").getMountPath()).isEqualTo("/registration");
    }

    @Test
    void theRegistrarRunsWithoutPrivileges() {
        SecurityContext context = release.container(CSI, "registrar").getSecurityContext();

        assertThat(context.getPrivileged()).isNotEqualTo(true);
        assertThat(context.getAllowPrivilegeEscalation()).isFalse();
        assertThat(context.getReadOnlyRootFilesystem()).isTrue();
        assertThat(context.getCapabilities().getDrop()).containsExactly("ALL");
    }

    @Test
    void allPathsFollowTheDirectoryOfTheKubelet() {
        Release elsewhere =
                Chart.render(
                        Chart.REGION, "{region: {csi: {enabled: true, kubeletDirectory: /k}}}");

        assertThat(hostPaths(elsewhere))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                "kubelet", "/k",
                                "mounts", "/mnt",
                                "plugin", "/k/plugins/csi.forebay.dev",
                                "registration", "/k/plugins_registry"));
        assertThat(elsewhere.container(CSI, "registrar").getArgs())
                .allSatisfy(
                        argument ->
                                assertThat(argument)
                                        .endsWith("=/k/plugins/csi.forebay.dev/csi.sock"));
    }

    @Test
    void anUpdateStopsTheOldDriverBeforeItStartsTheNext() {
        assertThat(
                        release.one(DaemonSet.class, CSI)
                                .getSpec()
                                .getUpdateStrategy()
                                .getRollingUpdate()
                                .getMaxSurge()
                                .getIntVal())
                .isZero();
    }

    @Test
    void theDriverRunsOnTheNodesOfTheFusePods() {
        Release placed =
                Chart.render(
                        Chart.REGION, ENABLED, "{region: {node: {nodeSelector: {gpu: \"yes\"}}}}");

        for (String component : List.of(CSI, "fuse")) {
            assertThat(placed.pod(component).getSpec().getNodeSelector())
                    .containsExactlyEntriesOf(Map.of("gpu", "yes"));
        }
    }
}
