package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.autoscaling.v2.CrossVersionObjectReference;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the two roles, together and separately, and that the parts of each fit together. */
class RolesTest {

    private static final String SCALED =
            """
            controlPlane: {autoscaling: {enabled: true}, datasets: {enabled: true}}
            region:
              webhook: {enabled: true}
              nodeLabels: {enabled: true}
              kueue: {enabled: true}
              workers: {autoscaling: {enabled: true}, tlsSecret: worker-tls}
              csi: {enabled: true}
            networkPolicy: {metricsFrom: [{namespaceSelector: {}}]}
            monitoring: {podMonitors: {enabled: true}, alerts: {enabled: true}, dashboards: {enabled: true}}
            """;

    private static final String ELSEWHERE =
            """
            region:
              etcd: {endpoints: ["http://etcd-0:2379", "http://etcd-1:2379"]}
              workers: {storage: {hostPaths: [/disks/1/forebay, /disks/2/forebay]}}
              fuse: {standby: false}
              node: {priorityClassName: system-node-critical}
            networkPolicy: {enabled: false}
            """;

    static final List<List<String>> RELEASES =
            List.of(
                    List.of(Chart.CONTROL_PLANE),
                    List.of(Chart.REGION),
                    List.of(Chart.CONTROL_PLANE, Chart.REGION),
                    List.of(Chart.CONTROL_PLANE, Chart.REGION, SCALED),
                    List.of(Chart.REGION, ELSEWHERE));

    private static Release render(List<String> values) {
        return Chart.render(values.toArray(String[]::new));
    }

    @Test
    void aControlPlaneAloneHasOnlyItsOwnPods() {
        assertThat(Chart.render(Chart.CONTROL_PLANE).pods()).containsOnlyKeys("control-plane");
    }

    @Test
    void aRegionAloneHasAllItsComponents() {
        assertThat(Chart.render(Chart.REGION).pods())
                .containsOnlyKeys("agent", "etcd", "fuse", "holder", "worker");
    }

    @Test
    void aRegionWithAnExternalEtcdInstallsNone() {
        Release release = Chart.render(Chart.REGION, ELSEWHERE);

        assertThat(release.objects()).extracting(Release::component).doesNotContain("etcd");
        String endpoints = "http://etcd-0:2379,http://etcd-1:2379";
        assertThat(release.settings("agent")).containsEntry("forebay.etcd.endpoints", endpoints);
        assertThat(release.settings("worker")).containsEntry("forebay.etcd.endpoints", endpoints);
        assertThat(release.environment("fuse")).containsEntry("FOREBAY_ETCD_ENDPOINTS", endpoints);
    }

    @Test
    void theControlPlaneKnowsTheAgentOfItsRelease() {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION);
        Service agent = release.one(Service.class, "agent");

        assertThat(release.settings("control-plane"))
                .containsEntry(
                        "forebay.regions.\"us-east-1\".agent",
                        "http://%s.%s.svc:%d"
                                .formatted(
                                        agent.getMetadata().getName(),
                                        Chart.NAMESPACE,
                                        agent.getSpec().getPorts().getFirst().getPort()));
    }

    /** Requests, activities and connections have 10 s each to end. */
    @ParameterizedTest
    @ValueSource(strings = {"control-plane", "agent"})
    void aServiceHasTimeToFinishItsWork(String component) {
        assertThat(
                        Chart.render(Chart.CONTROL_PLANE, Chart.REGION)
                                .pod(component)
                                .getSpec()
                                .getTerminationGracePeriodSeconds())
                .isGreaterThanOrEqualTo(30);
    }

    @ParameterizedTest
    @FieldSource("RELEASES")
    void everyObjectIsUniqueInTheNamespaceAndLabelledWithItsRelease(List<String> values) {
        List<HasMetadata> objects = render(values).objects();

        assertThat(objects)
                .extracting(it -> it.getKind() + " " + it.getMetadata().getName())
                .doesNotHaveDuplicates();
        for (HasMetadata object : objects) {
            assertThat(object.getMetadata().getNamespace())
                    .as(object.getMetadata().getName())
                    .isEqualTo(
                            // Unknown for kinds outside Kubernetes. Those of the chart are in
                            // namespaces.
                            object instanceof Namespaced
                                            || object instanceof GenericKubernetesResource
                                    ? Chart.NAMESPACE
                                    : null);
            assertThat(object.getMetadata().getLabels())
                    .containsEntry("app.kubernetes.io/instance", Chart.RELEASE)
                    .containsEntry("app.kubernetes.io/managed-by", "Helm");
        }
    }

    @ParameterizedTest
    @FieldSource("RELEASES")
    void selectorsMatchOnlyTheirPodsAndServicesUseNamedPorts(List<String> values) {
        Release release = render(values);

        for (Service service : release.all(Service.class).toList()) {
            // An agent has two Services, one of them for the API server.
            String component = Release.component(service).replace("agent-webhook", "agent");
            assertSelects(release, component, service.getSpec().getSelector());
            List<String> ports =
                    release.pod(component).getSpec().getContainers().stream()
                            .flatMap(container -> container.getPorts().stream())
                            .map(ContainerPort::getName)
                            .toList();
            for (ServicePort port : service.getSpec().getPorts()) {
                assertThat(ports).contains(port.getTargetPort().getStrVal());
            }
        }
        release.all(PodDisruptionBudget.class)
                .forEach(
                        budget ->
                                assertSelects(
                                        release,
                                        Release.component(budget),
                                        budget.getSpec().getSelector().getMatchLabels()));
        release.all(Deployment.class)
                .forEach(
                        it ->
                                assertSelects(
                                        release,
                                        Release.component(it),
                                        it.getSpec().getSelector().getMatchLabels()));
        release.all(StatefulSet.class)
                .forEach(
                        it ->
                                assertSelects(
                                        release,
                                        Release.component(it),
                                        it.getSpec().getSelector().getMatchLabels()));
        release.all(DaemonSet.class)
                .forEach(
                        it ->
                                assertSelects(
                                        release,
                                        Release.component(it),
                                        it.getSpec().getSelector().getMatchLabels()));
    }

    @Test
    void processesListenOnTheirContainerPorts() {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION);

        for (String component : List.of("agent", "control-plane", "worker")) {
            String port = release.settings(component).getOrDefault("quarkus.http.port", "8080");
            assertThat(release.container(component, component).getPorts())
                    .extracting(it -> it.getContainerPort().toString())
                    .containsExactly(port);
            assertThat(release.settings(component)).containsEntry("quarkus.http.host", "0.0.0.0");
        }
        assertThat(release.environment("worker"))
                .containsEntry("FOREBAY_WORKER_ADVERTISED_ADDRESS", "http://$(POD_IP):7400");
    }

    @Test
    void probesUseTlsIfTheProcessDoes() {
        Release plain = Chart.render(Chart.CONTROL_PLANE, Chart.REGION);
        Release encrypted =
                Chart.render(
                        Chart.CONTROL_PLANE,
                        Chart.REGION,
                        "{controlPlane: {tlsSecret: t}, serviceAuthority: {secret: s}}",
                        "{region: {agent: {tlsSecret: t}, workers: {tlsSecret: t}}}");

        for (String component : List.of("agent", "control-plane", "worker")) {
            assertThat(schemesOfProbes(plain, component)).as(component).containsOnly("HTTP");
            assertThat(schemesOfProbes(encrypted, component)).as(component).containsOnly("HTTPS");
        }
    }

    private static List<String> schemesOfProbes(Release release, String component) {
        Container container = release.container(component, component);
        return Stream.of(
                        container.getStartupProbe(),
                        container.getLivenessProbe(),
                        container.getReadinessProbe())
                .map(probe -> probe.getHttpGet().getScheme())
                .toList();
    }

    /** Asserts that a selector matches the component's own pods and no others. */
    private static void assertSelects(
            Release release, String component, Map<String, String> selector) {
        assertThat(selector).isNotEmpty();
        release.pods()
                .forEach(
                        (name, pod) ->
                                assertThat(
                                                pod.getMetadata()
                                                        .getLabels()
                                                        .entrySet()
                                                        .containsAll(selector.entrySet()))
                                        .as("%s selects %s", component, name)
                                        .isEqualTo(name.equals(component)));
    }

    @ParameterizedTest
    @FieldSource("RELEASES")
    void everyLongRunningComponentWithoutMountsHasADisruptionBudget(List<String> values) {
        Release release = render(values);

        release.pods().keySet().stream()
                .filter(
                        component ->
                                !List.of("clean-up", "csi", "fuse", "holder").contains(component))
                .forEach(
                        component ->
                                assertThat(
                                                release.one(PodDisruptionBudget.class, component)
                                                        .getSpec()
                                                        .getMaxUnavailable()
                                                        .getIntVal())
                                        .isEqualTo(1));
    }

    @Test
    void anAutoscalerSetsTheNumberOfReplicas() {
        Release release = Chart.render(Chart.CONTROL_PLANE, Chart.REGION, SCALED);

        assertThat(release.one(Deployment.class, "control-plane").getSpec().getReplicas()).isNull();
        assertThat(release.one(StatefulSet.class, "worker").getSpec().getReplicas()).isNull();
        assertScales(release, release.one(Deployment.class, "control-plane"));
        assertScales(release, release.one(StatefulSet.class, "worker"));
    }

    private static void assertScales(Release release, HasMetadata workload) {
        CrossVersionObjectReference target =
                release.one(HorizontalPodAutoscaler.class, Release.component(workload))
                        .getSpec()
                        .getScaleTargetRef();
        assertThat(target.getApiVersion()).isEqualTo(workload.getApiVersion());
        assertThat(target.getKind()).isEqualTo(workload.getKind());
        assertThat(target.getName()).isEqualTo(workload.getMetadata().getName());
    }

    @ParameterizedTest
    @FieldSource("RELEASES")
    void podsWithASettingsFileHaveItsDigest(List<String> values) {
        Release release = render(values);

        release.pods()
                .forEach(
                        (component, pod) -> {
                            boolean hasFile =
                                    pod.getSpec().getVolumes().stream()
                                            .anyMatch(volume -> volume.getConfigMap() != null);
                            assertThat(
                                            Objects.requireNonNullElse(
                                                            pod.getMetadata().getAnnotations(),
                                                            Map.of())
                                                    .containsKey("forebay.dev/settings"))
                                    .as(component)
                                    .isEqualTo(hasFile);
                        });
    }

    @Test
    void aChangedSettingChangesThePodTemplate() {
        Release before = Chart.render(Chart.CONTROL_PLANE, Chart.REGION);
        Release after =
                Chart.render(
                        Chart.CONTROL_PLANE,
                        Chart.REGION,
                        """
                        controlPlane: {settings: {forebay.default-ttl: 3D}}
                        region:
                          agent: {settings: {forebay.worker-grace: 90S}}
                          workers: {settings: {forebay.worker.files: 6000000}}
                        """);

        for (String component : List.of("control-plane", "agent", "worker")) {
            assertThat(after.pod(component)).as(component).isNotEqualTo(before.pod(component));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "control-plane, {controlPlane: {settings: {forebay.default-ttl: 3D}}}",
        "agent, {region: {agent: {settings: {forebay.worker-grace: 90S}}}}",
        "worker, {region: {workers: {settings: {forebay.worker.files: 6000000}}}}"
    })
    void aChangedSettingRestartsOnlyThePodsOfItsComponent(String changed, String values) {
        Release before = Chart.render(Chart.CONTROL_PLANE, Chart.REGION);
        Release after = Chart.render(Chart.CONTROL_PLANE, Chart.REGION, values);

        for (String component : List.of("control-plane", "agent", "worker")) {
            assertThat(digest(after, component).equals(digest(before, component)))
                    .as(component)
                    .isEqualTo(!component.equals(changed));
        }
    }

    private static String digest(Release release, String component) {
        return Objects.requireNonNull(
                release.pod(component).getMetadata().getAnnotations().get("forebay.dev/settings"));
    }

    @ParameterizedTest
    @FieldSource("RELEASES")
    void helmLintFindsNoProblem(List<String> values) {
        assertThat(Chart.lint(values.toArray(String[]::new)))
                .doesNotContain("[WARNING]", "[ERROR]");
    }
}
