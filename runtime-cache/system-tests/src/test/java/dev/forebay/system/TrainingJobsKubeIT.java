package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.stack.StackPorts;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many Jobs with the annotation, on two pools of simulated nodes, with a complete stack: "Pins" in
 * docs/semantics.md. Agent and API server are killed meanwhile. {@code -Dforebay.jobs} sets the
 * number of Jobs.
 */
@SuppressWarnings("NullAway.Init")
class TrainingJobsKubeIT {

    private static final String REGION = "us-east-1";
    private static final String NAMESPACE = "default";
    private static final String DATASET = "forebay.dev/dataset";
    private static final String GATE = "forebay.dev/warm";
    private static final int JOBS = Integer.getInteger("forebay.jobs", 500);
    private static final int DATASETS = 5;
    private static final int NODES = 25;
    private static final Duration TIMEOUT = Duration.ofMinutes(8);

    @TempDir private static Path directory;

    private static KubernetesCluster cluster;
    private static KubernetesClient client;
    private static RunningStack stack;

    /** The uids of pods whose gate was opened. */
    private final Set<String> letGo = ConcurrentHashMap.newKeySet();

    /** Those of them whose version was not warm then. */
    private final Set<String> early = ConcurrentHashMap.newKeySet();

    /** Pods on nodes of the wrong pool. */
    private final Set<String> misplaced = ConcurrentHashMap.newKeySet();

    /** Versions that were seen warm. Each stays pinned until the last of its Jobs ends. */
    private final Set<String> warm = ConcurrentHashMap.newKeySet();

    @BeforeAll
    static void start() {
        cluster = KubernetesCluster.start(directory.resolve("cluster"));
        client = cluster.client();
        cluster.addNodes("a100", NODES, Map.of("forebay", "yes", "gpu", "a100"));
        cluster.addNodes("h100", NODES, Map.of("forebay", "yes", "gpu", "h100"));
        cluster.addNodes("cpu", 1, Map.of());
        int port = Ports.free();
        register(port);
        StackPorts ports = StackPorts.free();
        stack =
                RunningStack.start(
                        "training-jobs",
                        config ->
                                config.ports(ports)
                                        .regions(REGION)
                                        .workersPerRegion(1)
                                        .kubeconfig(cluster.kubeconfig())
                                        .property("forebay.jobs.watch", "true")
                                        .property("forebay.jobs.interval", "5S")
                                        .property("forebay.admission.enabled", "true")
                                        .property("forebay.admission.port", "" + port)
                                        .property("forebay.admission.name", "127.0.0.1")
                                        .property("forebay.admission.namespace", NAMESPACE)
                                        .property("forebay.admission.secret", "webhook")
                                        .property("forebay.admission.configuration", "forebay")
                                        .property("forebay.admission.nodes.forebay", "yes")
                                        .property(
                                                "forebay.gate.api",
                                                "http://127.0.0.1:" + ports.api())
                                        .property("forebay.gate.interval", "2S"));
    }

    @AfterAll
    static void stop() {
        stack.close();
        cluster.close();
    }

    /** Registers the webhook like the chart, except that the agent is not a pod here. */
    private static void register(int port) {
        client.resource(
                        """
                        apiVersion: v1
                        kind: Secret
                        metadata: {name: webhook, namespace: %s}
                        """
                                .formatted(NAMESPACE))
                .create();
        client.resource(
                        """
                        apiVersion: admissionregistration.k8s.io/v1
                        kind: MutatingWebhookConfiguration
                        metadata: {name: forebay}
                        webhooks:
                          - name: fail.pods.forebay.dev
                            failurePolicy: Fail
                            matchConditions:
                              - name: asks-for-a-version
                                expression: has(object.metadata.annotations) && '%s' in object.metadata.annotations
                            rules:
                              - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods], scope: Namespaced}
                            clientConfig: {url: "https://127.0.0.1:%d/pods"}
                            admissionReviewVersions: [v1]
                            sideEffects: None
                            timeoutSeconds: 5
                        """
                                .formatted(DATASET, port))
                .create();
    }

    private static String version(int number) {
        return "crowd/d%d@v1".formatted(number);
    }

    private static String pool(int job) {
        return job % 2 == 0 ? "a100" : "h100";
    }

    private static Job job(int number) {
        return new JobBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName("train-" + number)
                .endMetadata()
                .withNewSpec()
                .withBackoffLimit(0)
                // Kubernetes removes a third of the Jobs as soon as they end.
                .withTtlSecondsAfterFinished(number % 3 == 0 ? 0 : null)
                .withNewTemplate()
                .withNewMetadata()
                .addToAnnotations(DATASET, version(number % DATASETS))
                .endMetadata()
                .withNewSpec()
                .addToNodeSelector("gpu", pool(number))
                .withRestartPolicy("Never")
                .addNewContainer()
                .withName("train")
                .withImage("train")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    private static List<Job> jobs() {
        return client.batch().v1().jobs().inNamespace(NAMESPACE).list().getItems();
    }

    private static boolean isComplete(Job job) {
        return job.getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Complete"));
    }

    private static JsonNode pins() throws IOException, InterruptedException {
        return stack.api().get("/pins?region=" + REGION).expect(200).body().get("items");
    }

    /**
     * Checks each pod at the moment when its gate opens, and asks the region about its version. A
     * later check would miss that the version became warm in between.
     */
    private final class Departures implements ResourceEventHandler<Pod> {

        @Override
        public void onAdd(Pod pod) {
            look(pod);
        }

        @Override
        public void onUpdate(Pod before, Pod pod) {
            look(pod);
        }

        @Override
        public void onDelete(Pod pod, boolean unknownFinalState) {
            look(pod);
        }

        private void look(Pod pod) {
            String version = pod.getMetadata().getAnnotations().getOrDefault(DATASET, "no version");
            if (pod.getSpec().getNodeName() != null
                    && !pod.getSpec().getNodeName().matches("[ah]100-.*")) {
                misplaced.add(pod.getMetadata().getName());
            }
            boolean waits =
                    pod.getSpec().getSchedulingGates().stream()
                            .anyMatch(gate -> gate.getName().equals(GATE));
            if (!waits && letGo.add(pod.getMetadata().getUid()) && !isWarm(version)) {
                early.add(version + " " + pod.getMetadata().getName());
            }
        }
    }

    private boolean isWarm(String version) {
        try {
            if (!warm.contains(version)
                    && stack.api()
                            .residency(version, REGION)
                            .path("state")
                            .asText()
                            .equals("CACHED")) {
                warm.add(version);
            }
            return warm.contains(version);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (AssertionError unknown) {
            // The dataset is not registered.
            return false;
        }
    }

    private static void bring(int number) throws Exception {
        String prefix = "crowd-%d/".formatted(number);
        stack.lake()
                .putAll(
                        prefix,
                        // Each object in its own chunk: an object across a chunk boundary would
                        // need two fetches.
                        Map.of("a.bin", bytes(number, 8 << 20), "b.bin", bytes(-number, 1 << 20)));
        stack.api().register("crowd/d" + number, "s3://datasets/" + prefix, Duration.ofHours(1));
    }

    @Test
    void everyJobStartsOnlyWhenItsVersionIsWarmAndNoPinOutlivesIt() throws Exception {
        try (SharedIndexInformer<Pod> _ =
                client.pods().inNamespace(NAMESPACE).inform(new Departures())) {
            startAndEndAll();
            Await.until("every pod was checked", TIMEOUT, () -> letGo.size() == JOBS);
        }

        assertThat(early).as("started before they were warm").isEmpty();
        assertThat(misplaced).isEmpty();
        assertThat(jobs()).allMatch(TrainingJobsKubeIT::isComplete);
        Await.until("no pin is left", TIMEOUT, () -> pins().isEmpty());
        for (int number = 0; number < DATASETS; number++) {
            assertThat(stack.lake().gets("crowd-%d/".formatted(number)).values())
                    .as("fetched once")
                    .containsOnly(1);
        }
    }

    /** Creates a pod without a Job, which therefore runs until it is deleted. */
    private static Pod single(String name, String version, Map<String, String> annotations) {
        return client.resource(
                        new PodBuilder()
                                .withNewMetadata()
                                .withNamespace(NAMESPACE)
                                .withName(name)
                                .addToAnnotations(DATASET, version)
                                .addToAnnotations(annotations)
                                .endMetadata()
                                .withNewSpec()
                                .withTerminationGracePeriodSeconds(0L)
                                .addNewContainer()
                                .withName("train")
                                .withImage("train")
                                .endContainer()
                                .endSpec()
                                .build())
                .create();
    }

    private static String pinOf(Pod pod) {
        return "job-" + pod.getMetadata().getUid();
    }

    private static boolean hasPin(Pod pod) throws IOException, InterruptedException {
        return pins().findValuesAsText("id").contains(pinOf(pod));
    }

    @Test
    void aRunningPodWithoutAPinGetsOne() throws Exception {
        bring(DATASETS);
        String there = version(DATASETS);
        String missing = version(DATASETS + 1);
        Pod loses = single("loses", there, Map.of());
        Pod cold =
                single(
                        "cold",
                        missing,
                        Map.of(
                                "forebay.dev/deadline",
                                "3s",
                                "forebay.dev/on-deadline",
                                "run_cold"));
        for (Pod pod : List.of(loses, cold)) {
            client.resource(pod).waitUntilReady(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(hasPin(loses)).isTrue();
        assertThat(hasPin(cold)).isFalse();

        // The state after an outage longer than a lease.
        stack.api()
                .delete(
                        "/datasets/%s/pins/%s?region=%s"
                                .formatted(there.replace("@", "/versions/"), pinOf(loses), REGION))
                .expect(204);
        bring(DATASETS + 1);

        Await.until("it is pinned again", TIMEOUT, () -> hasPin(loses));
        Await.until(
                "the pod that started cold has a pin",
                TIMEOUT,
                () -> hasPin(cold) && isWarm(missing));
        List.of(loses, cold).forEach(pod -> client.resource(pod).delete());
        Await.until("no pin is left", TIMEOUT, () -> pins().isEmpty());
    }

    private void startAndEndAll() throws Exception {
        IntStream.range(0, JOBS)
                .parallel()
                .forEach(number -> client.resource(job(number)).create());
        Await.until(
                "all pods exist",
                TIMEOUT,
                () -> client.pods().inNamespace(NAMESPACE).list().getItems().size() == JOBS);
        assertThat(letGo).as("nothing is warm yet").isEmpty();

        for (int number = 0; number < DATASETS; number++) {
            bring(number);
            if (number == 1) {
                stack.region(REGION).agent().kill9();
                stack.region(REGION).agent().restart();
            } else if (number == 3) {
                // Watchers get 410 Gone.
                cluster.apiServer().kill9();
                cluster.apiServer().restart();
            }
            int before = (number + 1) * JOBS / DATASETS;
            Await.until(
                    "the Jobs of version %d have ended".formatted(number),
                    TIMEOUT,
                    () -> {
                        List<Job> there = jobs();
                        long ended = there.stream().filter(TrainingJobsKubeIT::isComplete).count();
                        return ended + JOBS - there.size() >= before;
                    });
        }
    }
}
