package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks the agent as the controller of Kueue's AdmissionChecks. */
class KueueTest {

    private static final String ENABLED = "{region: {kueue: {enabled: true}}}";

    private static List<String> rights(Release release) {
        return release.one(ClusterRole.class, "agent").getRules().stream()
                .map(KueueTest::text)
                .toList();
    }

    private static String text(PolicyRule rule) {
        return "%s/%s %s"
                .formatted(
                        String.join(",", rule.getApiGroups()),
                        String.join(",", rule.getResources()),
                        String.join(",", rule.getVerbs()));
    }

    @Test
    void theAgentHasNoRightsAndSettingsForKueueUnlessEnabled() {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION);

        assertThat(rights(release)).noneMatch(rule -> rule.startsWith("kueue"));
        assertThat(release.settings("agent").keySet())
                .noneMatch(name -> name.startsWith("forebay.kueue"));
    }

    @Test
    void theAgentHasOnlyTheRightsThatKueueNeeds() {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION, ENABLED);

        assertThat(rights(release))
                .filteredOn(rule -> !rule.endsWith(" get,list"))
                .containsExactly(
                        "batch/jobs get,list,watch",
                        "kueue.x-k8s.io/admissionchecks,workloads list,watch",
                        "kueue.x-k8s.io/admissionchecks/status,workloads/status patch");
        assertThat(release.all(Role.class)).isEmpty();
    }

    @Test
    void theAgentFindsTheControlPlaneWithoutAWebhook() {
        assertThat(
                        Chart.render(Chart.CONTROL_PLANE, Chart.REGION, ENABLED)
                                .settings("agent")
                                .get("forebay.gate.api"))
                .startsWith("http://r-forebay-control-plane.");
        assertThat(Chart.refusal(Chart.REGION, ENABLED))
                .contains("region.webhook.api: the address of the control plane");
        assertThat(
                        Chart.render(
                                        Chart.REGION,
                                        ENABLED,
                                        "{region: {webhook: {api: \"http://forebay:80\"}}}")
                                .settings("agent"))
                .containsEntry("forebay.gate.api", "http://forebay:80")
                .containsEntry("forebay.kueue.enabled", "true")
                .doesNotContainKey("forebay.admission.enabled");
    }
}
