package dev.forebay.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.devstack.kubernetes.Kueue;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.membership.Pin;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.testing.ApplicationProcess;
import dev.forebay.testing.Await;
import dev.forebay.testing.ChartedAccount;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfigBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two packaged agents as controllers of an AdmissionCheck, with a real control plane, a real Kueue
 * and the permissions of the chart. One of them also runs the webhook and the gate, so pods meet
 * both. The region's own activities are in memory.
 */
@SuppressWarnings("NullAway.Init")
class KueueKubeIT {

    private static final long LONG = 3600;
    private static final String NAMESPACE = "team";
    private static final String API = "kueue.x-k8s.io/v1beta2";
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String QUEUES =
            """
            apiVersion: v1
            kind: Namespace
            metadata: {name: team}
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: AdmissionCheck
            metadata: {name: warm}
            spec: {controllerName: forebay.dev/warm}
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: AdmissionCheck
            metadata: {name: another}
            spec: {controllerName: example.com/another}
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: ResourceFlavor
            metadata: {name: default}
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: ClusterQueue
            metadata: {name: gpus}
            spec:
              namespaceSelector: {}
              admissionChecksStrategy: {admissionChecks: [{name: warm}]}
              resourceGroups:
                - coveredResources: [cpu]
                  flavors: [{name: default, resources: [{name: cpu, nominalQuota: 32}]}]
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: LocalQueue
            metadata: {namespace: team, name: gpus}
            spec: {clusterQueue: gpus}
            """;

    @TempDir private static Path directory;

    private static final TestControlPlane platform = TestControlPlane.shared();

    private static EtcdServer etcd;
    private static TemporalServer temporal;
    private static KubernetesCluster cluster;
    private static KubernetesClient client;
    private static Kueue kueue;
    private static List<ApplicationProcess> agents;
    private static int jobs;

    @BeforeAll
    static void start() throws Exception {
        etcd = EtcdServer.start(directory.resolve("etcd"));
        temporal = TemporalServer.start(directory.resolve("temporal"));
        cluster = KubernetesCluster.start(directory.resolve("cluster"));
        client = cluster.client();
        cluster.addNodes("gpu", 1, Map.of());
        int port = Ports.free();
        Path kubeconfig = account(port);
        // Before Kueue, because agents must wait for it.
        agents =
                List.of(
                        agent(
                                "one",
                                kubeconfig,
                                Map.of(
                                        "forebay.admission.enabled", "true",
                                        "forebay.admission.port", Integer.toString(port),
                                        "forebay.admission.name", "127.0.0.1",
                                        "forebay.admission.namespace", ChartedAccount.NAMESPACE,
                                        "forebay.admission.secret", "forebay-agent-webhook",
                                        "forebay.admission.configuration", "forebay-forebay-agent",
                                        "forebay.admission.interval", "2S")),
                        agent("two", kubeconfig, Map.of()));
        kueue = Kueue.start(directory.resolve("kueue"), cluster);
        for (String object : QUEUES.split("---\n", -1)) {
            client.resource(object).create();
        }
        Await.until(
                "a service account",
                () ->
                        client.serviceAccounts().inNamespace(NAMESPACE).withName("default").get()
                                != null);
        Await.until("a queue that is in use", () -> isActive("ClusterQueue", "gpus"));
    }

    /** Also installs the webhook, which the API server calls at a port of 127.0.0.1. */
    private static Path account(int port) throws Exception {
        return ChartedAccount.install(
                cluster,
                directory,
                "agent",
                object -> {
                    if (object instanceof MutatingWebhookConfiguration webhooks) {
                        String url = "https://127.0.0.1:%d/pods".formatted(port);
                        webhooks.getWebhooks()
                                .forEach(
                                        it ->
                                                it.setClientConfig(
                                                        new WebhookClientConfigBuilder()
                                                                .withUrl(url)
                                                                .build()));
                    }
                    return object;
                },
                "--show-only=templates/agent/webhook.yaml",
                "--set=region.enabled=true",
                "--set=region.name=" + TestControlPlane.REGION,
                "--set=region.webhook.enabled=true",
                "--set=region.webhook.api=http://forebay.example.com",
                "--set=region.kueue.enabled=true");
    }

    private static ApplicationProcess agent(
            String name, Path kubeconfig, Map<String, String> more) {
        Map<String, String> properties = new HashMap<>(more);
        properties.put("forebay.role", "agent");
        properties.put("forebay.region", TestControlPlane.REGION);
        properties.put("forebay.etcd.endpoints", etcd.endpoint().toString());
        properties.put("forebay.temporal.target", temporal.target());
        properties.put("forebay.jobs.watch", "true");
        properties.put("forebay.jobs.interval", "2S");
        properties.put("forebay.kueue.enabled", "true");
        properties.put("forebay.gate.api", platform.process.address().toString());
        properties.put("forebay.gate.interval", "1S");
        return ApplicationProcess.start(
                "agent",
                directory.resolve(name),
                properties,
                Map.of("KUBECONFIG", kubeconfig.toString()));
    }

    @AfterAll
    static void stop() {
        kueue.close();
        agents.forEach(ApplicationProcess::close);
        cluster.close();
        temporal.close();
        etcd.close();
    }

    @AfterEach
    void open() {
        platform.region.open();
    }

    private static MixedOperation<
                    GenericKubernetesResource,
                    GenericKubernetesResourceList,
                    Resource<GenericKubernetesResource>>
            all(String kind) {
        return client.genericKubernetesResources(API, kind);
    }

    private static boolean isActive(String kind, String name) {
        return elements(json(all(kind).withName(name).get()), "/status/conditions")
                .anyMatch(
                        it ->
                                it.path("type").asText().equals("Active")
                                        && it.path("status").asText().equals("True"));
    }

    private static JsonNode json(Object object) {
        return JSON.valueToTree(object);
    }

    private static Stream<JsonNode> elements(JsonNode object, String path) {
        return StreamSupport.stream(object.at(path).spliterator(), false);
    }

    /** Returns a version without requests. */
    private static DatasetVersion version() {
        return DatasetVersion.of("team", platform.dataset(LONG), "v1");
    }

    private static Map<String, String> wants(Object version, String... more) {
        Map<String, String> annotations = new HashMap<>();
        annotations.put("forebay.dev/dataset", version.toString());
        for (int i = 0; i < more.length; i += 2) {
            annotations.put(more[i], more[i + 1]);
        }
        return annotations;
    }

    private static Job job(Map<String, String> annotations) {
        return job(annotations, Map.of());
    }

    /** Suspends the job, as Kueue's webhook does. */
    private static Job job(Map<String, String> annotations, Map<String, String> nodes) {
        return client.resource(
                        new JobBuilder()
                                .withNewMetadata()
                                .withNamespace(NAMESPACE)
                                .withName("train-" + jobs++)
                                .addToLabels("kueue.x-k8s.io/queue-name", "gpus")
                                .endMetadata()
                                .withNewSpec()
                                .withSuspend(true)
                                .withBackoffLimit(0)
                                .withNewTemplate()
                                .withNewMetadata()
                                .withAnnotations(annotations)
                                .endMetadata()
                                .withNewSpec()
                                .withRestartPolicy("Never")
                                .withTerminationGracePeriodSeconds(0L)
                                .withNodeSelector(nodes)
                                .addNewContainer()
                                .withName("train")
                                .withImage("train")
                                .withNewResources()
                                .addToRequests("cpu", new Quantity("1"))
                                .endResources()
                                .endContainer()
                                .endSpec()
                                .endTemplate()
                                .endSpec()
                                .build())
                .create();
    }

    /** Returns a job that never ends, because no node matches it. */
    private static Job lastingJob(Map<String, String> annotations) {
        return job(annotations, Map.of("there-is", "no-such-node"));
    }

    private static Optional<JsonNode> workload(Job job) {
        return all("Workload").inNamespace(NAMESPACE).list().getItems().stream()
                .filter(
                        it ->
                                it.getMetadata().getOwnerReferences().stream()
                                        .anyMatch(
                                                owner ->
                                                        owner.getUid()
                                                                .equals(
                                                                        job.getMetadata()
                                                                                .getUid())))
                .findFirst()
                .map(KueueKubeIT::json);
    }

    private static Optional<JsonNode> check(Job job) {
        return workload(job)
                .flatMap(
                        it ->
                                elements(it, "/status/admissionChecks")
                                        .filter(each -> each.path("name").asText().equals("warm"))
                                        .findFirst());
    }

    private static void awaitCheck(Job job, String state, String message) {
        Await.until(
                "the check of %s is %s: %s".formatted(job.getMetadata().getName(), state, message),
                () ->
                        check(job)
                                .filter(it -> it.path("state").asText().equals(state))
                                .filter(it -> it.path("message").asText().contains(message))
                                .isPresent());
    }

    /** As Kueue does with a rejected workload, or an operator does. */
    private static void setActive(Job job, boolean active) {
        var _ =
                all("Workload")
                        .inNamespace(NAMESPACE)
                        .withName(workload(job).orElseThrow().at("/metadata/name").asText())
                        .patch(
                                PatchContext.of(PatchType.JSON_MERGE),
                                "{\"spec\": {\"active\": %s}}".formatted(active));
    }

    private static void awaitDeactivated(Job job) {
        Await.until(
                job.getMetadata().getName() + " is deactivated",
                () -> workload(job).filter(it -> !it.at("/spec/active").asBoolean()).isPresent());
    }

    private static Job now(Job job) {
        return Objects.requireNonNull(client.resource(job).get());
    }

    private static void awaitSuspended(Job job, boolean suspended) {
        Await.until(
                "%s is suspended: %s".formatted(job.getMetadata().getName(), suspended),
                () -> now(job).getSpec().getSuspend() == suspended);
    }

    private static void awaitCompletion(Job job) {
        Await.until(
                job.getMetadata().getName() + " is complete",
                () ->
                        now(job).getStatus().getConditions().stream()
                                .anyMatch(it -> it.getType().equals("Complete")));
    }

    private static Pod podOf(Job job) {
        return client.pods()
                .inNamespace(NAMESPACE)
                .withLabel("batch.kubernetes.io/job-name", job.getMetadata().getName())
                .list()
                .getItems()
                .getFirst();
    }

    private static String pin(Job job) {
        return "job-" + job.getMetadata().getUid();
    }

    private static List<String> pins(DatasetVersion version) {
        return platform.region.pins().stream()
                .filter(pin -> pin.startsWith(version + "/"))
                .map(pin -> pin.substring(pin.indexOf('/', pin.indexOf('@')) + 1))
                .toList();
    }

    @Test
    void onlyChecksThatNameThisControllerAreActive() {
        assertThat(isActive("AdmissionCheck", "warm")).isTrue();
        assertThat(isActive("AdmissionCheck", "another")).isFalse();
    }

    @Test
    void aJobStaysSuspendedUntilItsVersionIsWarm() {
        DatasetVersion version = version();
        platform.region.shut();
        Job job = job(wants(version));

        awaitCheck(job, "Pending", version + " in " + TestControlPlane.REGION + " is filled to");
        assertThat(now(job).getSpec().getSuspend()).isTrue();

        platform.region.open();
        awaitCompletion(job);
        awaitCheck(job, "Ready", version + " in " + TestControlPlane.REGION + " is at ");
        assertThat(pins(version)).as("of the check and of the gate").containsExactly(pin(job));
        assertThat(podOf(job).getMetadata().getAnnotations())
                .containsEntry("forebay.dev/pin", pin(job))
                .doesNotContainKey("forebay.dev/late");
    }

    @Test
    void aJobWithoutADatasetRunsAtOnce() {
        platform.region.shut();
        Job job = job(Map.of());

        awaitCompletion(job);
        awaitCheck(job, "Ready", "no pod of it needs a dataset");
    }

    @Test
    void anInvalidDatasetAnnotationIsRejectedWithAReason() {
        Job job = job(wants("ko-bert"));

        awaitDeactivated(job);
        Await.until(
                "an event that says why",
                () ->
                        client.v1().events().inNamespace(NAMESPACE).list().getItems().stream()
                                .filter(it -> it.getReason().equals("AdmissionCheckRejected"))
                                .map(Event::getMessage)
                                .anyMatch(it -> it.contains("forebay.dev/dataset 'ko-bert'")));
        assertThat(now(job).getSpec().getSuspend()).isTrue();
    }

    @Test
    void aJobWithAMistypedVersionWaitsUntilTheVersionExists() {
        DatasetVersion first = version();
        awaitCompletion(job(wants(first)));
        DatasetVersion mistyped = new DatasetVersion(first.dataset(), "v1-typo");
        Job waits = job(wants(mistyped));
        Job creates =
                job(wants(new DatasetVersion(first.dataset(), "v2"), "forebay.dev/create", "true"));

        awaitCompletion(creates);
        awaitCheck(waits, "Pending", "has no version 'v1-typo'; similar names are");
        assertThat(now(waits).getSpec().getSuspend()).isTrue();

        platform.api.post(
                TestControlPlane.version(first.dataset().name(), "v1-typo") + "/freeze", "");
        awaitCompletion(waits);
    }

    @Test
    void aJobIsRejectedOrRunsColdAtItsDeadlineAndDoesNotWaitAgain() {
        platform.region.shut();
        Job fails = job(wants(version(), "forebay.dev/deadline", "3s"));
        Job runs =
                job(
                        wants(
                                version(),
                                "forebay.dev/deadline",
                                "3s",
                                "forebay.dev/on-deadline",
                                "run_cold"));

        awaitDeactivated(fails);
        assertThat(now(fails).getSpec().getSuspend()).isTrue();

        awaitCompletion(runs);
        Pod cold = podOf(runs);
        assertThat(cold.getMetadata().getAnnotations()).containsEntry("forebay.dev/late", "true");
        assertThat(cold.getStatus().getConditions())
                .filteredOn(it -> it.getType().equals("forebay.dev/Warm"))
                .extracting(PodCondition::getReason)
                .containsExactly("RunsCold");
    }

    @Test
    void aDeactivatedWorkloadCancelsItsRequestAndRepeatsItWhenActive() {
        DatasetVersion version = version();
        platform.region.shut();
        Job job = job(wants(version));
        awaitCheck(job, "Pending", version.toString());

        setActive(job, false);
        Await.until("the version is dropped", () -> platform.region.hasDropped(version));
        assertThat(pins(version)).isEmpty();

        setActive(job, true);
        awaitCheck(job, "Pending", version.toString());
        platform.region.open();
        awaitCompletion(job);
        assertThat(pins(version)).containsExactly(pin(job));
    }

    @Test
    void aReadyWorkloadRequestsItsVersionAgainAfterKueueEvictsIt() {
        DatasetVersion version = version();
        Job job = lastingJob(wants(version));
        awaitSuspended(job, false);

        setActive(job, false);
        awaitSuspended(job, true);
        awaitCheck(job, "Pending", "Reset to Pending after eviction. Previously: Ready");
        assertThat(pins(version)).as("the pin lives as long as the Job").containsExactly(pin(job));

        setActive(job, true);
        awaitSuspended(job, false);
        awaitCheck(job, "Ready", version + " in " + TestControlPlane.REGION + " is at ");
        assertThat(pins(version)).containsExactly(pin(job));
    }

    @Test
    void deletingAWaitingJobCancelsItsRequest() {
        DatasetVersion version = version();
        platform.region.shut();
        Job job = job(wants(version));
        awaitCheck(job, "Pending", version.toString());

        client.resource(job).withPropagationPolicy(DeletionPropagation.BACKGROUND).delete();

        Await.until("the version is dropped", () -> platform.region.hasDropped(version));
        assertThat(pins(version)).isEmpty();
    }

    @Test
    void aWorkloadWithoutAJobOwnsItsPin() {
        DatasetVersion version = version();
        Resource<GenericKubernetesResource> workload =
                all("Workload").inNamespace(NAMESPACE).withName("lone");
        String uid =
                client.resource(
                                """
                                apiVersion: kueue.x-k8s.io/v1beta2
                                kind: Workload
                                metadata: {namespace: team, name: lone}
                                spec:
                                  queueName: gpus
                                  podSets:
                                    - name: main
                                      count: 1
                                      template:
                                        metadata: {annotations: {forebay.dev/dataset: "%s"}}
                                        spec: {restartPolicy: Never, containers: [{name: train, image: train}]}
                                """
                                        .formatted(version))
                        .create()
                        .getMetadata()
                        .getUid();
        Await.until("its pin", () -> pins(version).equals(List.of("job-" + uid)));

        try (EtcdRegionState region =
                EtcdRegionState.connect(
                        EtcdConfig.of(List.of(etcd.endpoint())),
                        new RegionName(TestControlPlane.REGION))) {
            Digest digest = new Digest("a".repeat(64));
            region.mount(version, new ManifestRef("s3://m/" + digest, digest, 1, 1, 1));
            region.pin(pin(version, uid));
            region.pin(pin(version, "of-one-that-is-gone"));
            Await.until(
                    "an agent has ended the pin without a Job",
                    () -> region.remaining(version, "job-of-one-that-is-gone").isEmpty());
            assertThat(region.remaining(version, "job-" + uid)).isPresent();

            workload.delete();
            Await.until("it ends", () -> region.remaining(version, "job-" + uid).isEmpty());
        }
    }

    private static Pin pin(DatasetVersion version, String uid) {
        return new Pin(version, "job-" + uid, "me", "training", Duration.ofHours(1), uid);
    }

    @Test
    void agentsContinueWithWaitingJobsAfterACrash() {
        DatasetVersion version = version();
        platform.region.shut();
        Job job = job(wants(version));
        awaitCheck(job, "Pending", version.toString());

        agents.forEach(ApplicationProcess::kill9);
        platform.region.open();
        agents.forEach(ApplicationProcess::restart);

        awaitCompletion(job);
        awaitCheck(job, "Ready", version.toString());
    }

    @Test
    void agentsContinueAfterTheApiServerRestarts() {
        DatasetVersion version = version();
        platform.region.shut();
        Job before = job(wants(version));
        awaitCheck(before, "Pending", version.toString());

        cluster.apiServer().kill9();
        platform.region.open();
        cluster.apiServer().restart();

        Job after = job(wants(version()));
        awaitCompletion(before);
        awaitCompletion(after);
    }
}
