package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Compares the paths in a container's settings with its volumes. */
final class MountedFiles {

    private static final Set<String> TLS_KEYS = Set.of("tls.crt", "tls.key", "ca.crt");

    private MountedFiles() {}

    /**
     * Asserts that every path in a setting is in a volume, and every file of a Secret is one of its
     * keys.
     */
    static void assertThere(Release release, String component, Container container) {
        Map<String, Volume> volumes = new HashMap<>();
        release.pod(component)
                .getSpec()
                .getVolumes()
                .forEach(volume -> volumes.put(volume.getName(), volume));
        claims(release, component).forEach(name -> volumes.put(name, new Volume()));
        paths(release, component, container).forEach(path -> assertThere(path, container, volumes));
        assertThat(container.getVolumeMounts())
                .extracting(VolumeMount::getName)
                .isSubsetOf(volumes.keySet());
        assertThat(container.getVolumeMounts())
                .extracting(VolumeMount::getMountPath)
                .doesNotHaveDuplicates();
    }

    private static Stream<String> claims(Release release, String component) {
        return release.all(StatefulSet.class)
                .filter(set -> Release.component(set).equals(component))
                .flatMap(set -> set.getSpec().getVolumeClaimTemplates().stream())
                .map(claim -> claim.getMetadata().getName());
    }

    private static Stream<String> paths(Release release, String component, Container container) {
        boolean hasFile = !Set.of("etcd", "fuse", "holder").contains(component);
        return Stream.concat(
                        hasFile
                                ? release.settings(component).entrySet().stream()
                                        .filter(it -> !it.getKey().equals("forebay.mount-root"))
                                        .map(Map.Entry::getValue)
                                : Stream.of(),
                        Release.environment(container).values().stream())
                .flatMap(value -> Stream.of(value.split(",", -1)))
                .filter(value -> value.startsWith("/"));
    }

    private static void assertThere(String path, Container container, Map<String, Volume> volumes) {
        List<VolumeMount> around =
                container.getVolumeMounts().stream()
                        .filter(mount -> (path + "/").startsWith(mount.getMountPath() + "/"))
                        .toList();
        assertThat(around).as("%s of %s", path, container.getName()).hasSize(1);
        VolumeMount mount = around.getFirst();
        Volume volume = volumes.getOrDefault(mount.getName(), new Volume());
        if (volume.getSecret() != null) {
            String file = path.substring(mount.getMountPath().length() + 1);
            List<KeyToPath> items = volume.getSecret().getItems();
            assertThat(items.isEmpty() ? TLS_KEYS : items.stream().map(KeyToPath::getPath).toList())
                    .contains(file);
        }
    }
}
