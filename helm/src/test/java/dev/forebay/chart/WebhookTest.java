package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ServiceReference;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the configuration of the webhook that changes training pods. */
class WebhookTest {

    private static final String ENABLED = "{region: {webhook: {enabled: true}}}";

    private static Release release(String... more) {
        String[] values = new String[more.length + 3];
        values[0] = Chart.CONTROL_PLANE;
        values[1] = Chart.REGION;
        values[2] = ENABLED;
        System.arraycopy(more, 0, values, 3, more.length);
        return Chart.render(values);
    }

    private static List<MutatingWebhook> webhooks(Release release) {
        return release.one(MutatingWebhookConfiguration.class, "agent").getWebhooks();
    }

    @Test
    void theChartHasNoWebhookUnlessEnabled() {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION);

        assertThat(release.all(MutatingWebhookConfiguration.class)).isEmpty();
        assertThat(release.all(Secret.class)).isEmpty();
        assertThat(release.all(Role.class)).isEmpty();
        assertThat(release.settings("agent").keySet())
                .noneMatch(name -> name.startsWith("forebay.admission"));
    }

    @Test
    void theApiServerReachesTheAgentByTheNameInItsCertificate() {
        Release release = release();
        Service service = release.one(Service.class, "agent-webhook");
        Map<String, String> settings = release.settings("agent");

        for (MutatingWebhook webhook : webhooks(release)) {
            ServiceReference asked = webhook.getClientConfig().getService();
            assertThat(asked.getNamespace()).isEqualTo(Chart.NAMESPACE);
            assertThat(asked.getName()).isEqualTo(service.getMetadata().getName());
            assertThat(settings)
                    .containsEntry(
                            "forebay.admission.name",
                            "%s.%s.svc".formatted(asked.getName(), asked.getNamespace()));
            ServicePort port =
                    service.getSpec().getPorts().stream()
                            .filter(each -> each.getPort().equals(asked.getPort()))
                            .findFirst()
                            .orElseThrow();
            assertThat(release.container("agent", "agent").getPorts())
                    .filteredOn(each -> each.getName().equals(port.getTargetPort().getStrVal()))
                    .extracting(each -> each.getContainerPort().toString())
                    .containsExactly(settings.getOrDefault("forebay.admission.port", "8443"));
        }
        assertThat(settings).containsEntry("forebay.admission.host", "0.0.0.0");
    }

    /** The Service for other clusters must not expose the webhook. */
    @Test
    void theServiceForOtherClustersDoesNotExposeTheWebhook() {
        Release release =
                Chart.render(
                        Chart.REGION,
                        """
                        region:
                          webhook: {enabled: true, api: "http://forebay.example.com:8080"}
                          agent: {watchJobs: true, service: {type: LoadBalancer}}
                        """);

        Service asked = release.one(Service.class, "agent");
        assertThat(asked.getSpec().getType()).isEqualTo("LoadBalancer");
        assertThat(asked.getSpec().getPorts())
                .extracting(ServicePort::getName)
                .containsExactly("http");
        Service webhook = release.one(Service.class, "agent-webhook");
        assertThat(webhook.getSpec().getType()).isIn(null, "ClusterIP");
        assertThat(webhook.getSpec().getSelector()).isEqualTo(asked.getSpec().getSelector());
    }

    @Test
    void aStoppingAgentSleepsBeforeItsShutdown() {
        assertThat(
                        release()
                                .container("agent", "agent")
                                .getLifecycle()
                                .getPreStop()
                                .getSleep()
                                .getSeconds())
                .isPositive();
    }

    @Test
    void theApiServerSendsOnlyNewPodsThatRequestAVersion() {
        for (MutatingWebhook webhook : webhooks(release())) {
            assertThat(webhook.getMatchConditions())
                    .extracting(MatchCondition::getExpression)
                    .containsExactly(
                            "has(object.metadata.annotations) && 'forebay.dev/dataset' in"
                                    + " object.metadata.annotations");
            assertThat(webhook.getRules()).hasSize(1);
            RuleWithOperations rule = webhook.getRules().getFirst();
            assertThat(rule.getResources()).containsExactly("pods");
            assertThat(rule.getOperations()).containsExactly("CREATE");
            assertThat(webhook.getSideEffects()).isEqualTo("None");
            assertThat(webhook.getTimeoutSeconds()).isEqualTo(5);
        }
    }

    /** The first column is the label of a namespace. */
    @ParameterizedTest
    @CsvSource({
        "fail,   Fail,   Fail",
        "fail,   Ignore, Fail",
        "ignore, Fail,   Ignore",
        "ignore, Ignore, Ignore",
        ",       Fail,   Fail",
        ",       Ignore, Ignore",
        "other,  Fail,   Fail",
        "other,  Ignore, Ignore"
    })
    void eachNamespaceChoosesItsFailurePolicy(String label, String otherwise, String expected) {
        Map<String, String> labels =
                label == null ? Map.of() : Map.of("forebay.dev/failure-policy", label);

        assertThat(
                        webhooks(
                                release(
                                        "{region: {webhook: {failurePolicy: %s}}}"
                                                .formatted(otherwise))))
                .filteredOn(webhook -> matches(webhook.getNamespaceSelector(), labels))
                .extracting(MutatingWebhook::getFailurePolicy)
                .containsExactly(expected);
    }

    /** Returns whether a selector matches labels, as the API defines it. */
    private static boolean matches(LabelSelector selector, Map<String, String> labels) {
        assertThat(selector.getMatchExpressions()).isNotEmpty();
        return selector.getMatchExpressions().stream().allMatch(each -> matches(each, labels));
    }

    private static boolean matches(LabelSelectorRequirement each, Map<String, String> labels) {
        boolean in = each.getValues().contains(labels.getOrDefault(each.getKey(), "-"));
        return switch (each.getOperator()) {
            case "In" -> in;
            case "NotIn" -> !in;
            default -> throw new IllegalArgumentException(each.getOperator());
        };
    }

    @Test
    void theAgentHasOnlyTheRightsThatTheWebhookNeeds() {
        Release release = release();

        assertThat(release.one(ClusterRole.class, "agent").getRules())
                .map(WebhookTest::text)
                .filteredOn(rule -> !rule.endsWith(" get,list"))
                .containsExactly(
                        "batch/jobs get,list,watch",
                        "/pods list,patch,watch",
                        "/pods/status patch",
                        "/events create",
                        "admissionregistration.k8s.io/mutatingwebhookconfigurations[ml-r-forebay-agent]"
                                + " get,update");
        assertThat(release.one(Role.class, "agent").getRules())
                .map(WebhookTest::text)
                .containsExactly("/secrets[r-forebay-agent-webhook] get,update");
        assertThat(release.one(RoleBinding.class, "agent").getSubjects())
                .extracting(subject -> subject.getName())
                .containsExactly("r-forebay-agent");
    }

    private static String text(PolicyRule rule) {
        return "%s/%s%s %s"
                .formatted(
                        String.join(",", rule.getApiGroups()),
                        String.join(",", rule.getResources()),
                        rule.getResourceNames().isEmpty() ? "" : rule.getResourceNames(),
                        String.join(",", rule.getVerbs().stream().sorted().toList()));
    }

    /** The holder creates the file when it has mounted the tree, and pods wait for it. */
    @Test
    void podsWaitForTheSignThatTheHolderCreatesAfterTheMount() {
        Release release = release();

        assertThat(release.settings("agent"))
                .containsEntry(
                        "forebay.admission.mounted-sign",
                        release.environment("holder").get("FOREBAY_FUSE_HOLDER") + "/mounted");
    }

    /** The chart renders neither key nor CA bundle, so an upgrade keeps those of the agent. */
    @Test
    void theChartLeavesTheWebhookKeyToTheAgent() {
        Release release = release();
        Map<String, String> settings = release.settings("agent");
        Secret secret = release.one(Secret.class, "agent");

        assertThat(secret.getData()).isNullOrEmpty();
        assertThat(secret.getStringData()).isNullOrEmpty();
        assertThat(settings)
                .containsEntry("forebay.admission.secret", secret.getMetadata().getName())
                .containsEntry("forebay.admission.namespace", Chart.NAMESPACE)
                .containsEntry(
                        "forebay.admission.configuration",
                        release.one(MutatingWebhookConfiguration.class, "agent")
                                .getMetadata()
                                .getName());
        assertThat(webhooks(release))
                .allSatisfy(it -> assertThat(it.getClientConfig().getCaBundle()).isNull());
    }
}
