package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks the Job that removes node labels and finalizers of Datasets when the release is
 * uninstalled.
 */
class UninstallTest {

    private static final String CLEAN_UP = "clean-up";
    private static final String LABELS = "{region: {nodeLabels: {enabled: true}}}";
    private static final String DATASETS = "{controlPlane: {datasets: {enabled: true}}}";
    private static final String HOOK = "helm.sh/hook";

    private final Release both = Chart.render(Chart.CONTROL_PLANE, Chart.REGION, LABELS, DATASETS);

    private static List<HasMetadata> hooks(Release release) {
        return release.objects().stream()
                .filter(it -> it.getMetadata().getAnnotations() != null)
                .filter(it -> it.getMetadata().getAnnotations().containsKey(HOOK))
                .toList();
    }

    private static List<String> arguments(Release release) {
        return release.container(CLEAN_UP, CLEAN_UP).getArgs();
    }

    private static Set<String> rights(Release release) {
        Set<String> rights = new TreeSet<>();
        release.one(ClusterRole.class, CLEAN_UP)
                .getRules()
                .forEach(
                        rule ->
                                rule.getVerbs()
                                        .forEach(
                                                verb ->
                                                        rights.add(
                                                                verb
                                                                        + " "
                                                                        + String.join(
                                                                                " ",
                                                                                rule.getResources())
                                                                        + " "
                                                                        + String.join(
                                                                                " ",
                                                                                rule
                                                                                        .getResourceNames()))));
        return rights;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {region: {enabled: true}}
                    {cleanUp: {enabled: false}, region: {nodeLabels: {enabled: true}}, controlPlane: {datasets: {enabled: true}}}
                    {region: {enabled: false, nodeLabels: {enabled: true}}}
                    {controlPlane: {enabled: false, datasets: {enabled: true}}}
                    """)
    void aReleaseWithNothingToRemoveHasNoCleanUp(String values) {
        assertThat(hooks(Chart.render(Chart.CONTROL_PLANE, Chart.REGION, values))).isEmpty();
    }

    @Test
    void helmRunsTheCleanUpAfterTheDeletionAndThenRemovesIt() {
        assertThat(hooks(both))
                .hasSize(4)
                .allSatisfy(
                        object ->
                                assertThat(object.getMetadata().getAnnotations())
                                        .containsEntry(HOOK, "post-delete")
                                        .containsEntry(
                                                "helm.sh/hook-delete-policy",
                                                "before-hook-creation,hook-succeeded"));
        int job = weight(both.one(Job.class, CLEAN_UP));
        assertThat(
                        List.of(
                                weight(both.one(ServiceAccount.class, CLEAN_UP)),
                                weight(both.one(ClusterRole.class, CLEAN_UP)),
                                weight(both.one(ClusterRoleBinding.class, CLEAN_UP))))
                .allSatisfy(weight -> assertThat(weight).isLessThan(job));
    }

    private static int weight(HasMetadata object) {
        Map<String, String> annotations = object.getMetadata().getAnnotations();
        return Integer.parseInt(annotations.getOrDefault("helm.sh/hook-weight", ""));
    }

    @Test
    void theCleanUpHasOnlyTheRightsThatItNeeds() {
        String definition = "get customresourcedefinitions datasets.forebay.dev";
        assertThat(rights(both))
                .containsExactlyInAnyOrder(
                        "get nodes ",
                        "list nodes ",
                        "patch nodes ",
                        "get datasets ",
                        "list datasets ",
                        "patch datasets ",
                        definition);
        assertThat(arguments(both))
                .containsExactly(
                        CLEAN_UP,
                        "--node-labels=us-east-1",
                        "--datasets=ml/r",
                        "--timeout-seconds=120");

        Release labels = Chart.render(Chart.CONTROL_PLANE, Chart.REGION, LABELS);
        assertThat(rights(labels))
                .containsExactlyInAnyOrder("get nodes ", "list nodes ", "patch nodes ");
        assertThat(arguments(labels)).doesNotContain("--datasets=ml/r");

        Release datasets = Chart.render(Chart.CONTROL_PLANE, Chart.REGION, DATASETS);
        assertThat(rights(datasets))
                .containsExactlyInAnyOrder(
                        "get datasets ", "list datasets ", "patch datasets ", definition);
        assertThat(arguments(datasets)).doesNotContain("--node-labels=us-east-1");
    }

    /** Helm waits for 300 s by default. */
    @Test
    void theCleanUpEndsBeforeHelmTimesOut() {
        Job job = both.one(Job.class, CLEAN_UP);

        assertThat(job.getSpec().getActiveDeadlineSeconds()).isLessThan(300);
        assertThat(
                        Chart.render(Chart.REGION, LABELS, "{cleanUp: {timeoutSeconds: 600}}")
                                .one(Job.class, CLEAN_UP)
                                .getSpec()
                                .getActiveDeadlineSeconds())
                .isEqualTo(1200);
    }
}
