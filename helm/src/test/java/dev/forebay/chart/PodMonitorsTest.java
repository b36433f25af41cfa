package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Checks the targets of a Prometheus operator, and their labels. */
class PodMonitorsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ON = "{monitoring: {podMonitors: {enabled: true}}}";

    private static Map<String, JsonNode> monitors(Release release) {
        Map<String, JsonNode> monitors = new TreeMap<>();
        release.all(GenericKubernetesResource.class)
                .filter(it -> it.getKind().equals("PodMonitor"))
                .forEach(it -> monitors.put(Release.component(it), JSON.valueToTree(it)));
        return monitors;
    }

    @Test
    void theChartHasNoPodMonitorsUnlessEnabled() {
        assertThat(monitors(Chart.render(Chart.CONTROL_PLANE, Chart.REGION))).isEmpty();
    }

    @Test
    void prometheusScrapesEveryComponentWithMetricsAtItsPorts() {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION, ON);
        Map<String, JsonNode> monitors = monitors(release);

        assertThat(monitors).containsOnlyKeys("agent", "control-plane", "etcd", "fuse", "worker");
        monitors.forEach(
                (component, monitor) -> {
                    List<String> ports =
                            release.pod(component).getSpec().getContainers().stream()
                                    .flatMap(container -> container.getPorts().stream())
                                    .map(ContainerPort::getName)
                                    .toList();
                    assertThat(ports)
                            .containsAll(
                                    monitor.at("/spec/podMetricsEndpoints")
                                            .findValuesAsText("port"));
                    assertThat(
                                    release.pod(component)
                                            .getMetadata()
                                            .getLabels()
                                            .entrySet()
                                            .containsAll(
                                                    labels(monitor.at("/spec/selector/matchLabels"))
                                                            .entrySet()))
                            .as(component)
                            .isTrue();
                });
        assertThat(endpoints(monitors, "fuse").findValuesAsText("port"))
                .containsExactly("fuse", "standby");
    }

    private static JsonNode endpoints(Map<String, JsonNode> monitors, String component) {
        return Objects.requireNonNull(monitors.get(component)).at("/spec/podMetricsEndpoints");
    }

    private static Map<String, String> labels(JsonNode node) {
        Map<String, String> labels = new HashMap<>();
        node.properties().forEach(it -> labels.put(it.getKey(), it.getValue().asText()));
        return labels;
    }

    @Test
    void targetsHaveTheLabelsThatAlertsNeed() {
        monitors(Chart.render(Chart.CONTROL_PLANE, Chart.REGION, ON))
                .forEach(
                        (component, monitor) -> {
                            for (JsonNode endpoint : monitor.at("/spec/podMetricsEndpoints")) {
                                Map<String, String> set = new HashMap<>();
                                for (JsonNode each : endpoint.get("relabelings")) {
                                    set.put(
                                            each.get("targetLabel").asText(),
                                            each.path("replacement").asText());
                                }
                                assertThat(set).containsEntry("component", component);
                                assertThat(set).containsKey("node");
                                // Metrics of a control plane have their own region label.
                                assertThat(set.get("region"))
                                        .isEqualTo(
                                                component.equals("control-plane")
                                                        ? null
                                                        : "us-east-1");
                            }
                        });
    }

    @Test
    void onlyComponentsThatRequireTheTokenGetIt() {
        Map<String, JsonNode> monitors =
                monitors(Chart.render(Chart.CONTROL_PLANE, Chart.REGION, ON));

        monitors.forEach(
                (component, monitor) -> {
                    JsonNode credentials =
                            monitor.at("/spec/podMetricsEndpoints/0/authorization/credentials");
                    if (List.of("agent", "control-plane").contains(component)) {
                        assertThat(labels(credentials))
                                .isEqualTo(Map.of("name", "forebay-token", "key", "token"));
                    } else {
                        assertThat(credentials.isMissingNode()).as(component).isTrue();
                    }
                });
    }

    @Test
    void prometheusVerifiesTheNameOfWorkersWithTls() {
        Release release =
                Chart.render(Chart.REGION, ON, "{region: {workers: {tlsSecret: worker-tls}}}");
        JsonNode endpoint = endpoints(monitors(release), "worker").get(0);

        assertThat(endpoint.get("scheme").asText()).isEqualTo("https");
        assertThat(endpoint.at("/tlsConfig/serverName").asText())
                .isEqualTo("r-forebay-worker-0.r-forebay-worker.ml.svc");
        assertThat(labels(endpoint.at("/tlsConfig/ca/secret")))
                .isEqualTo(Map.of("name", "worker-tls", "key", "ca.crt"));
    }

    @Test
    void prometheusVerifiesTheNamesOfControlPlanesAndAgentsWithTls() {
        Release release =
                Chart.render(
                        Chart.CONTROL_PLANE,
                        Chart.REGION,
                        ON,
                        "{serviceAuthority: {secret: ca, key: root.pem}}",
                        "{controlPlane: {tlsSecret: t}, region: {agent: {tlsSecret: t}}}");

        for (String component : List.of("control-plane", "agent")) {
            JsonNode endpoint = endpoints(monitors(release), component).get(0);
            assertThat(endpoint.get("scheme").asText()).isEqualTo("https");
            assertThat(endpoint.at("/tlsConfig/serverName").asText())
                    .isEqualTo("r-forebay-%s.ml.svc".formatted(component));
            assertThat(labels(endpoint.at("/tlsConfig/ca/secret")))
                    .isEqualTo(Map.of("name", "ca", "key", "root.pem"));
        }
    }

    @Test
    void anExternalEtcdIsNotScraped() {
        assertThat(
                        monitors(
                                Chart.render(
                                        Chart.REGION,
                                        ON,
                                        "{region: {etcd: {endpoints: ['http://e:2379']}}}")))
                .doesNotContainKey("etcd");
    }
}
