package dev.forebay.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.agent.jobs.WarmLabels;
import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.membership.NodeEntry;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.NodeName;
import dev.forebay.model.RegionName;
import dev.forebay.testing.ApplicationProcess;
import dev.forebay.testing.Await;
import dev.forebay.testing.Gangs;
import dev.forebay.testing.SharedCluster;
import dev.forebay.workflows.WorkflowIds;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The packaged agent's webhook and gate in a cluster, with a real control plane. The region's own
 * activities are in memory, on the control plane's Temporal. The agent has another Temporal.
 */
@SuppressWarnings("NullAway.Init")
class TrainingPodsKubeIT {

    private static final long LONG = 3600;
    private static final int GANG = 8;
    private static final String WARM = "forebay.dev/Warm";
    private static final String GATE = "forebay.dev/warm";

    /** The webhook configuration, which is deleted after the class. */
    private static final String WEBHOOKS = "forebay";

    /** A namespace whose pods are refused while no agent answers. */
    private static final String STRICT = "strict";

    /** A namespace whose pods start without their version while no agent answers. */
    private static final String LENIENT = "lenient";

    @TempDir private static Path directory;

    private static final TestControlPlane platform = TestControlPlane.shared();

    private static EtcdServer etcd;
    private static TemporalServer temporal;
    private static KubernetesCluster cluster;
    private static KubernetesClient client;
    private static ApplicationProcess agent;
    private static int jobs;

    @BeforeAll
    static void start() {
        etcd = EtcdServer.start(directory.resolve("etcd"));
        temporal = TemporalServer.start(directory.resolve("temporal"));
        cluster = SharedCluster.get();
        client = cluster.client();
        cluster.addNodes("gpu", 3, Map.of("gpu", "yes"));
        cluster.addNodes("other", 2, Map.of());
        namespace(STRICT, Map.of());
        namespace(LENIENT, Map.of("forebay.dev/failure-policy", "ignore"));
        int port = Ports.free();
        register(port);
        agent = startAgent(port);
        awaitWebhook();
    }

    private static void namespace(String name, Map<String, String> labels) {
        client.resource(
                        new NamespaceBuilder()
                                .withNewMetadata()
                                .withName(name)
                                .withLabels(labels)
                                .endMetadata()
                                .build())
                .create();
        Await.until(
                "a service account",
                () -> client.serviceAccounts().inNamespace(name).withName("default").get() != null);
    }

    /** Installs the webhook as the chart does, except that the agent is not a pod. */
    private static void register(int port) {
        client.resource(
                        new SecretBuilder()
                                .withNewMetadata()
                                .withNamespace(STRICT)
                                .withName("webhook")
                                .endMetadata()
                                .build())
                .create();
        StringBuilder webhooks = new StringBuilder();
        Map.of("Fail", "NotIn", "Ignore", "In")
                .forEach(
                        (policy, operator) ->
                                webhooks.append(
                                        """
                                          - name: %s.pods.forebay.dev
                                            failurePolicy: %s
                                            namespaceSelector:
                                              matchExpressions:
                                                - {key: forebay.dev/failure-policy, operator: %s, values: [ignore]}
                                            matchConditions:
                                              - name: asks-for-a-version
                                                expression: has(object.metadata.annotations) && 'forebay.dev/dataset' in object.metadata.annotations
                                            rules:
                                              - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods], scope: Namespaced}
                                            clientConfig: {url: "https://127.0.0.1:%d/pods"}
                                            admissionReviewVersions: [v1]
                                            sideEffects: None
                                            timeoutSeconds: 5
                                            reinvocationPolicy: IfNeeded
                                        """
                                                .formatted(
                                                        policy.toLowerCase(Locale.ROOT),
                                                        policy,
                                                        operator,
                                                        port)));
        client.resource(
                        """
                        apiVersion: admissionregistration.k8s.io/v1
                        kind: MutatingWebhookConfiguration
                        metadata: {name: %s}
                        webhooks:
                        """
                                        .formatted(WEBHOOKS)
                                + webhooks)
                .create();
    }

    private static ApplicationProcess startAgent(int port) {
        Map<String, String> properties = new HashMap<>();
        properties.put("forebay.role", "agent");
        properties.put("forebay.region", TestControlPlane.REGION);
        properties.put("forebay.etcd.endpoints", etcd.endpoint().toString());
        properties.put("forebay.temporal.target", temporal.target());
        properties.put("forebay.jobs.watch", "true");
        properties.put("forebay.admission.enabled", "true");
        properties.put("forebay.admission.port", Integer.toString(port));
        properties.put("forebay.admission.name", "127.0.0.1");
        properties.put("forebay.admission.namespace", STRICT);
        properties.put("forebay.admission.secret", "webhook");
        properties.put("forebay.admission.configuration", WEBHOOKS);
        properties.put("forebay.admission.interval", "2S");
        properties.put("forebay.admission.nodes.gpu", "yes");
        properties.put("forebay.gate.api", platform.process.address().toString());
        properties.put("forebay.gate.interval", "1S");
        properties.put("forebay.node-labels.enabled", "true");
        properties.put("forebay.node-labels.interval", "1S");
        return ApplicationProcess.start(
                "agent",
                directory.resolve("agent"),
                properties,
                Map.of("KUBECONFIG", cluster.kubeconfig().toString()));
    }

    private static void awaitWebhook() {
        Await.until("a webhook that answers", () -> pod("probe", "a/b@v1").isPresent());
    }

    /** Returns the pod that would be created; empty if the API server refuses it. */
    private static Optional<Pod> pod(String name, String dataset) {
        try {
            return Optional.of(client.resource(single(name, dataset)).dryRun().create());
        } catch (KubernetesClientException refused) {
            return Optional.empty();
        }
    }

    private static Pod single(String name, String dataset) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace(STRICT)
                .withName(name)
                .addToAnnotations("forebay.dev/dataset", dataset)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("train")
                .withImage("train")
                .endContainer()
                .endSpec()
                .build();
    }

    @AfterAll
    static void stop() {
        client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName(WEBHOOKS)
                .delete();
        agent.close();
        temporal.close();
        etcd.close();
    }

    @AfterEach
    void open() {
        platform.region.open();
    }

    /** Returns a version without requests. */
    private static DatasetVersion version() {
        return DatasetVersion.of("team", platform.dataset(LONG), "v1");
    }

    private static Job job(String namespace, DatasetVersion version, String... annotations) {
        return client.resource(template(namespace, version, annotations).build()).create();
    }

    private static JobBuilder template(
            String namespace, DatasetVersion version, String... annotations) {
        Map<String, String> all = new HashMap<>();
        all.put("forebay.dev/dataset", version.toString());
        for (int i = 0; i < annotations.length; i += 2) {
            all.put(annotations[i], annotations[i + 1]);
        }
        return new JobBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName("train-" + jobs++)
                .endMetadata()
                .withNewSpec()
                .withBackoffLimit(0)
                .withNewTemplate()
                .withNewMetadata()
                .withAnnotations(all)
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .withTerminationGracePeriodSeconds(0L)
                .addNewContainer()
                .withName("train")
                .withImage("train")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec();
    }

    private static List<Pod> podsOf(Job job) {
        return client.pods()
                .inNamespace(job.getMetadata().getNamespace())
                .withLabel("batch.kubernetes.io/job-name", job.getMetadata().getName())
                .list()
                .getItems();
    }

    private static Pod podOf(Job job) {
        Await.until("a pod of " + job.getMetadata().getName(), () -> !podsOf(job).isEmpty());
        return podsOf(job).getFirst();
    }

    private static List<String> conditions(Pod pod) {
        return pod.getStatus().getConditions().stream().map(PodCondition::getType).toList();
    }

    private static Optional<PodCondition> warmth(Pod pod) {
        return pod.getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals(WARM))
                .findFirst();
    }

    private static void awaitReason(Job job, String reason) {
        Await.until(
                job.getMetadata().getName() + " has the reason " + reason,
                () ->
                        warmth(podOf(job))
                                .filter(condition -> reason.equals(condition.getReason()))
                                .isPresent());
    }

    private static void awaitEnd(Job job, String type) {
        Await.until(
                job.getMetadata().getName() + " is " + type,
                () ->
                        Objects.requireNonNull(client.resource(job).get())
                                .getStatus()
                                .getConditions()
                                .stream()
                                .anyMatch(condition -> condition.getType().equals(type)));
    }

    /**
     * Changes the job, because Kubernetes doubles its delay after each refusal, up to a minute,
     * unless the job changes.
     */
    private static void tryAgain(Job job) {
        client.batch()
                .v1()
                .jobs()
                .inNamespace(job.getMetadata().getNamespace())
                .withName(job.getMetadata().getName())
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"metadata\":{\"annotations\":{\"test/tried\":\"again\"}}}");
    }

    private static boolean isGated(Pod pod) {
        return pod.getSpec().getSchedulingGates().stream()
                .anyMatch(gate -> gate.getName().equals(GATE));
    }

    private static String pin(Job job) {
        return "job-" + job.getMetadata().getUid();
    }

    private static List<String> events(Pod pod) {
        return client
                .v1()
                .events()
                .inNamespace(pod.getMetadata().getNamespace())
                .list()
                .getItems()
                .stream()
                .filter(
                        event ->
                                pod.getMetadata()
                                        .getUid()
                                        .equals(event.getInvolvedObject().getUid()))
                .map(Event::getReason)
                .toList();
    }

    @Test
    @Tag("slice")
    void aJobStartsOnlyWhenItsVersionIsWarm() {
        DatasetVersion version = version();
        platform.region.shut();
        Job job = job(STRICT, version);

        awaitReason(job, "Warming");
        Pod waiting = podOf(job);
        assertThat(isGated(waiting)).isTrue();
        assertThat(waiting.getSpec().getNodeName()).isNull();
        assertThat(warmth(waiting).orElseThrow().getMessage()).contains(version.toString(), "%");
        assertThat(waiting.getSpec().getContainers().getFirst().getVolumeMounts())
                .anySatisfy(
                        mount -> {
                            assertThat(mount.getMountPath()).isEqualTo("/mnt/forebay");
                            assertThat(mount.getReadOnly()).isTrue();
                        });
        assertThat(client.resource(job).get().getStatus().getConditions()).isEmpty();

        platform.region.open();
        awaitEnd(job, "Complete");
        Pod ran = podOf(job);
        assertThat(ran.getSpec().getNodeName()).startsWith("gpu-");
        assertThat(warmth(ran).orElseThrow().getStatus()).isEqualTo("True");
        assertThat(ran.getMetadata().getAnnotations()).containsEntry("forebay.dev/pin", pin(job));
        assertThat(platform.region.holds(version, pin(job))).isTrue();
        assertThat(events(ran)).contains("Warming", "Warm").doesNotHaveDuplicates();
    }

    /**
     * The label appears while the pods wait. Each pod would be on this node by chance with a
     * probability of a third.
     */
    @Test
    void waitingPodsAreScheduledToTheNodeThatHoldsTheirVersion() {
        RegionName name = new RegionName(TestControlPlane.REGION);
        DatasetVersion version = version();
        platform.region.shut();
        Job job =
                client.resource(
                                template(STRICT, version)
                                        .editSpec()
                                        .withParallelism(GANG)
                                        .withCompletions(GANG)
                                        .endSpec()
                                        .build())
                        .create();
        Await.until("all pods of the gang exist", () -> podsOf(job).size() == GANG);
        awaitReason(job, "Warming");

        try (RegionState region =
                EtcdRegionState.connect(EtcdConfig.of(List.of(etcd.endpoint())), name)) {
            NodeEntry node = region.node(new NodeName("gpu-1"), Duration.ofHours(1));
            Await.until("the node reports the version", () -> node.say(List.of(version)));
            Await.until(
                    "the node has the label",
                    () ->
                            !client.nodes()
                                    .withLabel(new WarmLabels(name).key(version))
                                    .list()
                                    .getItems()
                                    .isEmpty());
            platform.region.open();
            awaitEnd(job, "Complete");
        }

        assertThat(podsOf(job))
                .extracting(pod -> pod.getSpec().getNodeName())
                .containsOnly("gpu-1")
                .hasSize(GANG);
    }

    @Test
    void aGangOwnedByACustomResourceSharesOnePin() {
        GenericKubernetesResource jobSet = Gangs.in(client, STRICT).start("gang");
        DatasetVersion version = version();
        platform.region.shut();
        List<Job> gang = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            gang.add(
                    client.resource(
                                    template(STRICT, version)
                                            .editMetadata()
                                            .addToOwnerReferences(
                                                    new OwnerReferenceBuilder()
                                                            .withApiVersion(jobSet.getApiVersion())
                                                            .withKind(jobSet.getKind())
                                                            .withName(
                                                                    jobSet.getMetadata().getName())
                                                            .withUid(jobSet.getMetadata().getUid())
                                                            .withController(true)
                                                            .build())
                                            .endMetadata()
                                            .build())
                            .create());
        }
        gang.forEach(job -> awaitReason(job, "Warming"));

        platform.region.open();

        gang.forEach(job -> awaitEnd(job, "Complete"));
        String pin = "job-" + jobSet.getMetadata().getUid();
        assertThat(platform.region.holds(version, pin)).isTrue();
        for (Job job : gang) {
            assertThat(podOf(job).getMetadata().getAnnotations())
                    .containsEntry("forebay.dev/pin", pin);
            assertThat(platform.region.holds(version, pin(job))).isFalse();
        }
    }

    @Test
    void aPodWithAMistypedVersionWaitsUntilTheVersionExists() {
        DatasetVersion first = version();
        DatasetVersion mistyped = new DatasetVersion(first.dataset(), "v1-typo");
        awaitEnd(job(STRICT, first), "Complete");
        Job waits = job(STRICT, mistyped);
        Job creates =
                job(
                        STRICT,
                        new DatasetVersion(first.dataset(), "v2"),
                        "forebay.dev/create",
                        "true");

        awaitReason(waits, "NotFound");
        assertThat(warmth(podOf(waits)).orElseThrow().getMessage())
                .contains("has no version 'v1-typo'", "forebay freeze " + mistyped);
        awaitEnd(creates, "Complete");
        assertThat(isGated(podOf(waits))).isTrue();

        platform.api.post(
                TestControlPlane.version(first.dataset().name(), "v1-typo") + "/freeze", "");
        awaitEnd(waits, "Complete");
    }

    @Test
    @Tag("slice")
    void aPodFailsOrRunsColdAtItsDeadline() {
        platform.region.shut();
        Job fails = job(STRICT, version(), "forebay.dev/deadline", "3s");
        Job runs =
                job(
                        STRICT,
                        version(),
                        "forebay.dev/deadline",
                        "3s",
                        "forebay.dev/on-deadline",
                        "run_cold");

        awaitEnd(fails, "Failed");
        Pod failed = podOf(fails);
        assertThat(failed.getStatus().getReason()).isEqualTo("ForebayDeadlineExceeded");
        assertThat(failed.getSpec().getNodeName()).isNull();
        assertThat(events(failed)).contains("DeadlineExceeded");
        assertThat(conditions(failed)).contains("forebay.dev/DeadlineExceeded");

        awaitEnd(runs, "Complete");
        PodCondition cold = warmth(podOf(runs)).orElseThrow();
        assertThat(cold.getReason()).isEqualTo("RunsCold");
        assertThat(cold.getStatus()).isEqualTo("False");
        assertThat(conditions(podOf(runs))).doesNotContain("forebay.dev/DeadlineExceeded");
    }

    @Test
    void aPodOfAnUnknownDatasetStartsOnceTheDatasetIsRegistered() {
        String name = "late-" + jobs;
        Job job = job(STRICT, DatasetVersion.of("team", name, "v1"));
        awaitReason(job, "NotFound");

        platform.put(name + "/a.txt", "first");
        platform.api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"%s\",\"source\":\"s3://lake/%s/\"}"
                        .formatted(name, name));

        awaitEnd(job, "Complete");
    }

    @Test
    @Tag("slice")
    void deletingAWaitingJobCancelsItsRequest() {
        DatasetVersion version = version();
        platform.region.shut();
        Job job = job(STRICT, version);
        awaitReason(job, "Warming");

        client.resource(job).withPropagationPolicy(DeletionPropagation.BACKGROUND).delete();

        Await.until("the version is dropped", () -> platform.region.hasDropped(version));
        assertThat(platform.region.holds(version, pin(job))).isFalse();
    }

    @Test
    void aRestartedAgentReleasesWaitingPods() {
        platform.region.shut();
        Job job = job(STRICT, version());
        awaitReason(job, "Warming");

        agent.kill9();
        platform.region.open();
        agent.restart();

        awaitEnd(job, "Complete");
    }

    @Test
    @Tag("slice")
    void eachNamespaceFollowsItsFailurePolicyWithoutAnAgent() {
        agent.kill9();
        Job strict = job(STRICT, version());
        Job lenient = job(LENIENT, version());
        Pod unconcerned =
                client.resource(
                                new PodBuilder(single("unconcerned", "a/b@v1"))
                                        .editMetadata()
                                        .withAnnotations(Map.of())
                                        .endMetadata()
                                        .build())
                        .create();
        try {
            awaitEnd(lenient, "Complete");
            assertThat(podOf(lenient).getSpec().getVolumes())
                    .extracting(Volume::getName)
                    .doesNotContain("forebay");
            Await.until(
                    "it is refused",
                    () ->
                            client.v1().events().inNamespace(STRICT).list().getItems().stream()
                                    .anyMatch(
                                            event ->
                                                    event.getReason().equals("FailedCreate")
                                                            && strict.getMetadata()
                                                                    .getUid()
                                                                    .equals(
                                                                            event.getInvolvedObject()
                                                                                    .getUid())));
            assertThat(podsOf(strict)).isEmpty();
            Await.until(
                    "a node for the pod without a dataset",
                    () ->
                            Objects.requireNonNull(client.resource(unconcerned).get())
                                            .getSpec()
                                            .getNodeName()
                                    != null);
        } finally {
            agent.restart();
        }
        tryAgain(strict);
        awaitEnd(strict, "Complete");
        assertThat(podOf(strict).getSpec().getVolumes())
                .extracting(Volume::getName)
                .contains("forebay");
    }

    @Test
    @Tag("slice")
    void aDryRunReturnsTheChangedPodAndStartsNothing() {
        DatasetVersion version = version();

        Pod pod = pod("dry", version.toString()).orElseThrow();

        assertThat(isGated(pod)).isTrue();
        assertThat(pod.getSpec().getNodeSelector()).containsEntry("gpu", "yes");
        assertThat(client.pods().inNamespace(STRICT).withName("dry").get()).isNull();
        assertThat(platform.region.hasWorkflow(WorkflowIds.version(version))).isFalse();
    }

    @Test
    @Tag("slice")
    void anInvalidDatasetAnnotationIsRefusedWithAReason() {
        assertThatExceptionOfType(KubernetesClientException.class)
                .isThrownBy(() -> client.resource(single("nonsense", "ko-bert")).create())
                .withMessageContaining("forebay.dev/dataset 'ko-bert'");
    }
}
