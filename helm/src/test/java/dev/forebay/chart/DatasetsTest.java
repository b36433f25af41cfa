package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Checks the custom resource of a control plane, and its rights for it. */
class DatasetsTest {

    private static final String DATASETS = "{controlPlane: {datasets: {enabled: true}}}";

    private final Release release = Chart.render(Chart.CONTROL_PLANE, DATASETS);

    @Test
    void theChartHasDatasetResourcesOnlyIfEnabled() {
        Release without = Chart.render(Chart.CONTROL_PLANE);

        assertThat(without.all(CustomResourceDefinition.class)).isEmpty();
        assertThat(without.all(ClusterRole.class)).isEmpty();
        assertThat(without.all(Role.class)).isEmpty();
        assertThat(without.settings("control-plane")).doesNotContainKey("forebay.datasets.watch");
        assertThat(release.settings("control-plane"))
                .containsEntry("forebay.datasets.watch", "true");
    }

    @Test
    void helmKeepsTheDefinitionAfterAnUninstall() {
        CustomResourceDefinition definition =
                release.one(CustomResourceDefinition.class, "control-plane");
        CustomResourceDefinitionVersion version = definition.getSpec().getVersions().getFirst();

        assertThat(definition.getMetadata().getAnnotations())
                .containsEntry("helm.sh/resource-policy", "keep");
        assertThat(version.getSubresources().getStatus()).isNotNull();
        assertThat(version.getAdditionalPrinterColumns())
                .extracting(column -> column.getName())
                .contains("Warm", "Held by", "Frozen");
    }

    @Test
    void theControlPlaneHasOnlyTheRightsThatDatasetsNeed() {
        assertThat(rights(release.one(ClusterRole.class, "control-plane").getRules()))
                .containsExactlyInAnyOrder(
                        "get datasets",
                        "list datasets",
                        "watch datasets",
                        "patch datasets",
                        "patch datasets/status",
                        "create events");
        assertThat(rights(release.one(Role.class, "control-plane").getRules()))
                .containsExactlyInAnyOrder(
                        "create leases",
                        "get leases forebay-datasets",
                        "patch leases forebay-datasets");
    }

    private static Set<String> rights(List<PolicyRule> rules) {
        Set<String> rights = new TreeSet<>();
        for (PolicyRule rule : rules) {
            for (String verb : rule.getVerbs()) {
                for (String resource : rule.getResources()) {
                    rights.add(
                            "%s %s %s"
                                    .formatted(
                                            verb,
                                            resource,
                                            String.join(" ", rule.getResourceNames()))
                                    .strip());
                }
            }
        }
        return rights;
    }
}
