package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Subject;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Checks that all pods that do not mount comply with the Pod Security Standard "restricted". Only
 * three components have rights: an agent that watches Jobs, a control plane that watches Datasets,
 * and the Job that cleans up after both.
 */
class PodSecurityTest {

    /** The components that mount, for the node. */
    private static final Set<String> NODE = Set.of("csi", "fuse", "holder");

    static final List<List<String>> RELEASES = RolesTest.RELEASES;

    @ParameterizedTest
    @FieldSource("RELEASES")
    void allPodsThatDoNotMountAreRestricted(List<String> values) {
        Chart.render(values.toArray(String[]::new))
                .pods()
                .forEach(
                        (component, pod) -> {
                            if (!NODE.contains(component)) {
                                assertRestricted(component, pod.getSpec());
                            }
                        });
    }

    private static void assertRestricted(String component, PodSpec pod) {
        assertThat(pod.getSecurityContext().getRunAsNonRoot()).as(component).isTrue();
        assertThat(pod.getSecurityContext().getRunAsUser()).isPositive();
        assertThat(pod.getSecurityContext().getSeccompProfile().getType())
                .isEqualTo("RuntimeDefault");
        for (Container container : pod.getContainers()) {
            SecurityContext context = container.getSecurityContext();
            assertThat(context.getAllowPrivilegeEscalation()).isFalse();
            assertThat(context.getPrivileged()).isNotEqualTo(true);
            assertThat(context.getReadOnlyRootFilesystem()).isTrue();
            assertThat(context.getCapabilities().getDrop()).containsExactly("ALL");
            assertThat(context.getCapabilities().getAdd()).isEmpty();
        }
    }

    @Test
    void onlyTheFusePodAndTheHolderMountHostPathsByDefault() {
        Chart.render(Chart.CONTROL_PLANE, Chart.REGION)
                .pods()
                .forEach(
                        (component, pod) ->
                                assertThat(pod.getSpec().getVolumes())
                                        .as(component)
                                        .filteredOn(volume -> volume.getHostPath() != null)
                                        .extracting(Volume::getName)
                                        .containsExactlyInAnyOrder(
                                                switch (component) {
                                                    case "fuse" ->
                                                            new String[] {
                                                                "mounts", "holder", "sys", "cache"
                                                            };
                                                    case "holder" ->
                                                            new String[] {
                                                                "mounts", "holder", "sys"
                                                            };
                                                    default -> new String[0];
                                                }));
    }

    /** Otherwise a pod could fill the node's disk, and the kubelet would evict others. */
    @ParameterizedTest
    @FieldSource("RELEASES")
    void everyUseOfTheNodesDiskIsRequestedAndLimited(List<String> values) {
        Chart.render(values.toArray(String[]::new))
                .pods()
                .forEach(
                        (component, pod) -> {
                            assertThat(pod.getSpec().getContainers())
                                    .as(component)
                                    .allSatisfy(
                                            container ->
                                                    assertThat(
                                                                    container
                                                                            .getResources()
                                                                            .getRequests())
                                                            .containsKey("ephemeral-storage"));
                            assertThat(pod.getSpec().getVolumes())
                                    .as(component)
                                    .filteredOn(volume -> volume.getEmptyDir() != null)
                                    .allSatisfy(
                                            volume ->
                                                    assertThat(volume.getEmptyDir().getSizeLimit())
                                                            .as(volume.getName())
                                                            .isNotNull());
                        });
    }

    @ParameterizedTest
    @FieldSource("RELEASES")
    void noPodUsesHostNamespacesOrHostPorts(List<String> values) {
        Chart.render(values.toArray(String[]::new))
                .pods()
                .forEach(
                        (component, pod) -> {
                            PodSpec spec = pod.getSpec();
                            assertThat(spec.getHostNetwork()).as(component).isNull();
                            assertThat(spec.getHostPID()).isNull();
                            assertThat(spec.getHostIPC()).isNull();
                            assertThat(spec.getContainers())
                                    .flatExtracting(Container::getPorts)
                                    .allSatisfy(port -> assertThat(port.getHostPort()).isNull());
                        });
    }

    /** Without a role there are no rights, and without a token no requests. */
    @ParameterizedTest
    @FieldSource("RELEASES")
    void onlyComponentsThatUseTheApiServerHaveAToken(List<String> values) {
        Release release = Chart.render(values.toArray(String[]::new));
        Set<String> ask =
                release.pods().keySet().stream()
                        .filter(component -> asks(release, component))
                        .collect(Collectors.toSet());

        assertThat(
                        Stream.concat(
                                release.all(ClusterRoleBinding.class)
                                        .flatMap(binding -> binding.getSubjects().stream()),
                                release.all(RoleBinding.class)
                                        .flatMap(binding -> binding.getSubjects().stream())))
                .extracting(Subject::getName)
                .allSatisfy(name -> assertThat(ask).contains(name.replaceFirst("^r-forebay-", "")));
        release.pods()
                .forEach(
                        (component, pod) -> {
                            assertThat(pod.getSpec().getAutomountServiceAccountToken())
                                    .as(component)
                                    .isEqualTo(ask.contains(component));
                            ServiceAccount account = release.one(ServiceAccount.class, component);
                            assertThat(account.getMetadata().getName())
                                    .isEqualTo(pod.getSpec().getServiceAccountName());
                            assertThat(account.getAutomountServiceAccountToken()).isFalse();
                        });
    }

    private static boolean asks(Release release, String component) {
        return switch (component) {
            case "agent" ->
                    release.settings(component).containsKey("forebay.jobs.watch")
                            || release.settings(component)
                                    .containsKey("forebay.node-labels.enabled");
            case "control-plane" ->
                    release.settings(component).containsKey("forebay.datasets.watch");
            case "clean-up" -> true;
            default -> false;
        };
    }

    @Test
    void theAgentMayOnlyReadJobsAndTheirOwners() {
        List<PolicyRule> rules =
                Chart.render(Chart.REGION).one(ClusterRole.class, "agent").getRules();

        assertThat(rules.getFirst().getApiGroups()).containsExactly("batch");
        assertThat(rules.getFirst().getResources()).containsExactly("jobs");
        assertThat(rules.getFirst().getVerbs()).containsExactly("list", "watch");
        assertThat(rules.subList(1, rules.size()))
                .allSatisfy(
                        rule -> {
                            assertThat(rule.getVerbs()).containsExactly("list");
                            assertThat(rule.getApiGroups())
                                    .doesNotContain("", "apps", "rbac.authorization.k8s.io");
                        });
    }

    @Test
    void anAgentThatDoesNotWatchJobsHasNoRights() {
        Release release = Chart.render(Chart.REGION, "{region: {agent: {watchJobs: false}}}");

        assertThat(release.all(ClusterRole.class)).isEmpty();
        assertThat(release.all(ClusterRoleBinding.class)).isEmpty();
        assertThat(release.pod("agent").getSpec().getAutomountServiceAccountToken()).isFalse();
        assertThat(release.settings("agent")).doesNotContainKey("forebay.jobs.watch");
    }

    /** A Service forebay-worker would become a variable FOREBAY_WORKER_SERVICE_HOST. */
    @ParameterizedTest
    @FieldSource("RELEASES")
    void servicesSetNoEnvironmentVariables(List<String> values) {
        Chart.render(values.toArray(String[]::new))
                .pods()
                .forEach(
                        (component, pod) ->
                                assertThat(pod.getSpec().getEnableServiceLinks())
                                        .as(component)
                                        .isFalse());
    }

    @ParameterizedTest
    @FieldSource("RELEASES")
    void everyContainerHasRequestsAndAMemoryLimit(List<String> values) {
        Chart.render(values.toArray(String[]::new))
                .pods()
                .forEach(
                        (component, pod) ->
                                assertThat(pod.getSpec().getContainers())
                                        .as(component)
                                        .allSatisfy(
                                                container -> {
                                                    assertThat(container.getResources().getLimits())
                                                            .containsKey("memory");
                                                    assertThat(
                                                                    container
                                                                            .getResources()
                                                                            .getRequests())
                                                            .containsKeys("cpu", "memory");
                                                }));
    }
}
