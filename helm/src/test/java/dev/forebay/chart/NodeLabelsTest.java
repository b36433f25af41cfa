package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Checks the labels of nodes that hold versions: which setting names the node, and which account
 * may label it.
 */
class NodeLabelsTest {

    private static final String ENABLED = "{region: {nodeLabels: {enabled: true}}}";
    private static final String VARIABLE = "FOREBAY_FUSE_NODE_NAME";

    private static List<PolicyRule> rulesOfNodes(Release release) {
        return release.one(ClusterRole.class, "agent").getRules().stream()
                .filter(rule -> rule.getResources().contains("nodes"))
                .toList();
    }

    @Test
    void theAgentLabelsNodesOnlyIfEnabled() {
        Release release = Chart.render(Chart.REGION);

        assertThat(rulesOfNodes(release)).isEmpty();
        assertThat(release.settings("agent")).doesNotContainKey("forebay.node-labels.enabled");
        for (Container container : release.pod("fuse").getSpec().getContainers()) {
            assertThat(container.getEnv()).extracting(EnvVar::getName).doesNotContain(VARIABLE);
        }
    }

    @Test
    void everyFuseContainerKnowsItsNode() {
        List<Container> containers =
                Chart.render(Chart.REGION, ENABLED).pod("fuse").getSpec().getContainers();

        assertThat(containers).hasSize(2);
        for (Container container : containers) {
            assertThat(container.getEnv())
                    .filteredOn(variable -> variable.getName().equals(VARIABLE))
                    .extracting(it -> it.getValueFrom().getFieldRef().getFieldPath())
                    .containsExactly("spec.nodeName");
        }
    }

    @Test
    void theAgentMayOnlyReadAndPatchNodes() {
        List<PolicyRule> rules = rulesOfNodes(Chart.render(Chart.REGION, ENABLED));

        assertThat(rules).hasSize(1);
        assertThat(rules.getFirst().getApiGroups()).containsExactly("");
        assertThat(rules.getFirst().getResources()).containsExactly("nodes");
        assertThat(rules.getFirst().getVerbs()).containsExactly("get", "list", "patch");
    }

    @Test
    void anAgentThatDoesNotWatchJobsHasOnlyTheRightsForNodes() {
        Release release =
                Chart.render(Chart.REGION, ENABLED, "{region: {agent: {watchJobs: false}}}");

        assertThat(release.one(ClusterRole.class, "agent").getRules())
                .isEqualTo(rulesOfNodes(release));
        assertThat(release.one(ClusterRoleBinding.class, "agent").getSubjects()).hasSize(1);
        assertThat(release.pod("agent").getSpec().getAutomountServiceAccountToken()).isTrue();
        assertThat(release.pod("fuse").getSpec().getAutomountServiceAccountToken()).isFalse();
    }
}
