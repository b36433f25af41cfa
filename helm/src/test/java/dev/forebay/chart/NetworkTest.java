package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Checks which components may connect to which others. */
class NetworkTest {

    /** A pod that no policy mentions. */
    private static final String STRANGER = "stranger";

    private static final String METRICS =
            """
            networkPolicy:
              metricsFrom: [{podSelector: {matchLabels: {app: prometheus}}}]
            """;

    /** Returns for each component and port who may connect, as the API defines policies. */
    private static Map<String, Set<String>> allowed(Release release) {
        Map<String, Map<String, String>> callers = new TreeMap<>();
        release.pods().forEach((name, pod) -> callers.put(name, pod.getMetadata().getLabels()));
        callers.put(STRANGER, Map.of("app", "stranger"));
        callers.put("prometheus", Map.of("app", "prometheus"));
        Map<String, Set<String>> allowed = new TreeMap<>();
        release.pods()
                .forEach(
                        (component, pod) -> {
                            if (component.equals("clean-up")) {
                                return; // listens on no port
                            }
                            List<NetworkPolicy> policies =
                                    release.all(NetworkPolicy.class)
                                            .filter(
                                                    it ->
                                                            selects(
                                                                    it,
                                                                    pod.getMetadata().getLabels()))
                                            .toList();
                            assertThat(policies).as("policies of %s", component).isNotEmpty();
                            pod.getSpec().getContainers().stream()
                                    .flatMap(it -> it.getPorts().stream())
                                    .map(ContainerPort::getName)
                                    .forEach(
                                            port ->
                                                    allowed.put(
                                                            component + ":" + port,
                                                            admitted(policies, port, callers)));
                        });
        return allowed;
    }

    private static boolean selects(NetworkPolicy policy, Map<String, String> labels) {
        assertThat(policy.getSpec().getPolicyTypes()).contains("Ingress");
        return labels.entrySet()
                .containsAll(policy.getSpec().getPodSelector().getMatchLabels().entrySet());
    }

    private static Set<String> admitted(
            List<NetworkPolicy> policies, String port, Map<String, Map<String, String>> callers) {
        Set<String> admitted = new TreeSet<>();
        for (NetworkPolicy policy : policies) {
            for (NetworkPolicyIngressRule rule : policy.getSpec().getIngress()) {
                if (rule.getPorts().stream()
                        .noneMatch(it -> it.getPort().getStrVal().equals(port))) {
                    continue;
                }
                callers.forEach(
                        (name, labels) -> {
                            if (rule.getFrom().isEmpty()
                                    || rule.getFrom().stream().anyMatch(it -> is(it, labels))) {
                                admitted.add(name);
                            }
                        });
            }
        }
        return admitted;
    }

    private static boolean is(NetworkPolicyPeer peer, Map<String, String> labels) {
        assertThat(peer.getPodSelector()).isNotNull();
        return labels.entrySet().containsAll(peer.getPodSelector().getMatchLabels().entrySet());
    }

    @Test
    void onlyTheCallersOfAComponentReachIt() {
        Map<String, Set<String>> allowed = allowed(Chart.render(Chart.CONTROL_PLANE, Chart.REGION));

        Set<String> region = Set.of("agent", "fuse", "worker");
        assertThat(allowed.remove("control-plane:http")).contains(STRANGER);
        assertThat(allowed)
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                "agent:http", Set.of("control-plane"),
                                "worker:http", region,
                                "etcd:client", region,
                                "etcd:peer", Set.of("etcd"),
                                "etcd:metrics", Set.of(),
                                // Only their node connects, which policies do not affect.
                                "holder:health", Set.of(),
                                "fuse:fuse", Set.of(),
                                "fuse:standby", Set.of()));
    }

    @Test
    void prometheusReachesEveryPortWithMetrics() {
        Map<String, Set<String>> allowed =
                allowed(
                        Chart.render(
                                Chart.CONTROL_PLANE,
                                Chart.REGION,
                                METRICS,
                                "{controlPlane: {allowFrom: [{podSelector: {matchLabels: {a: b}}}]}}"));

        List<String> reached = new ArrayList<>();
        allowed.forEach(
                (port, callers) -> {
                    if (callers.contains("prometheus")) {
                        reached.add(port);
                    }
                    assertThat(callers).doesNotContain(STRANGER);
                });
        assertThat(reached)
                .containsExactly(
                        "agent:http",
                        "control-plane:http",
                        "etcd:metrics",
                        "fuse:fuse",
                        "fuse:standby",
                        "worker:http");
    }

    @Test
    void anAgentWithAnExternalControlPlaneIsReachable() {
        assertThat(allowed(Chart.render(Chart.REGION)).get("agent:http")).contains(STRANGER);
        assertThat(
                        allowed(
                                        Chart.render(
                                                Chart.REGION,
                                                "{region: {agent: {allowFrom: [{podSelector: {matchLabels: {app: prometheus}}}]}}}"))
                                .get("agent:http"))
                .containsExactly("prometheus");
    }

    /** The API server is no pod, and its address differs between clusters. */
    @Test
    void anyClientReachesTheWebhookAndNothingElseOfTheAgent() {
        Map<String, Set<String>> allowed =
                allowed(
                        Chart.render(
                                Chart.CONTROL_PLANE,
                                Chart.REGION,
                                "{region: {webhook: {enabled: true}}}"));

        assertThat(allowed.get("agent:webhook")).contains(STRANGER);
        assertThat(allowed.get("agent:http")).containsExactly("control-plane");
    }

    @Test
    void anAgentWithAGateReachesTheControlPlaneOfItsRelease() {
        String few = "{controlPlane: {allowFrom: [{podSelector: {matchLabels: {a: b}}}]}}";

        assertThat(
                        allowed(Chart.render(Chart.CONTROL_PLANE, Chart.REGION, few))
                                .get("control-plane:http"))
                .isEmpty();
        for (String what : List.of("webhook", "kueue")) {
            assertThat(
                            allowed(
                                            Chart.render(
                                                    Chart.CONTROL_PLANE,
                                                    Chart.REGION,
                                                    few,
                                                    "{region: {%s: {enabled: true}}}"
                                                            .formatted(what)))
                                    .get("control-plane:http"))
                    .as(what)
                    .containsExactly("agent");
        }
    }

    /** Any of its replicas may send the request, and any may receive it. */
    @Test
    void aControlPlaneThatReconcilesDatasetsReachesItself() {
        assertThat(
                        allowed(
                                        Chart.render(
                                                Chart.CONTROL_PLANE,
                                                "{controlPlane: {allowFrom: [{podSelector: {matchLabels: {a: b}}}]}}",
                                                "{controlPlane: {datasets: {enabled: true}}}"))
                                .get("control-plane:http"))
                .containsExactly("control-plane");
    }

    @Test
    void theHolderAndTheDriverHaveNoNetworkAccess() {
        Release release = Chart.render(Chart.REGION, "{region: {csi: {enabled: true}}}");

        for (String component : List.of("holder", "csi")) {
            NetworkPolicy policy = release.one(NetworkPolicy.class, component);
            assertThat(policy.getSpec().getPolicyTypes()).containsExactly("Ingress", "Egress");
            assertThat(policy.getSpec().getIngress()).isEmpty();
            assertThat(policy.getSpec().getEgress()).isEmpty();
        }
    }

    @Test
    void networkPoliciesCanBeDisabled() {
        assertThat(
                        Chart.render(Chart.REGION, "{networkPolicy: {enabled: false}}")
                                .all(NetworkPolicy.class))
                .isEmpty();
    }

    /** By default a node that forwards a connection replaces the client's address by its own. */
    @Test
    void aServiceBehindALoadBalancerSeesTheAddressesOfClients() {
        Release release =
                Chart.render(
                        Chart.CONTROL_PLANE,
                        Chart.REGION,
                        """
                        controlPlane:
                          service: {type: LoadBalancer, loadBalancerSourceRanges: [10.1.0.0/16]}
                        region:
                          agent: {service: {type: NodePort, loadBalancerSourceRanges: [10.1.0.0/16]}}
                        """);

        assertThat(release.one(Service.class, "control-plane").getSpec())
                .extracting(
                        ServiceSpec::getExternalTrafficPolicy,
                        ServiceSpec::getLoadBalancerSourceRanges)
                .containsExactly("Local", List.of("10.1.0.0/16"));
        assertThat(release.one(Service.class, "agent").getSpec())
                .extracting(
                        ServiceSpec::getExternalTrafficPolicy,
                        ServiceSpec::getLoadBalancerSourceRanges)
                .containsExactly(null, List.of());
    }
}
