package dev.forebay.agent.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.model.ForebayException;
import dev.forebay.testing.Await;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods of a real API server without nodes to run them. */
class ClusterPodsKubeIT {

    private static final String NAMESPACE = "default";

    @TempDir Path directory;

    private static Pod pod() {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName("w-0")
                .addToLabels(Pods.ADMITTED, "true")
                .endMetadata()
                .withNewSpec()
                .withTerminationGracePeriodSeconds(0L)
                .addNewSchedulingGate()
                .withName(Pods.GATE)
                .endSchedulingGate()
                .addNewContainer()
                .withName("train")
                .withImage("train")
                .endContainer()
                .endSpec()
                .build();
    }

    @Test
    void aPodIsOpenFromItsReleaseUntilItsDeletion() {
        try (KubernetesCluster cluster = KubernetesCluster.start(directory);
                KubernetesClient client = cluster.client();
                Pods pods = new ClusterPods(client, Clock.systemUTC())) {
            Await.until(
                    "a service account",
                    () ->
                            client.serviceAccounts()
                                            .inNamespace(NAMESPACE)
                                            .withName("default")
                                            .get()
                                    != null);
            client.resource(pod()).create();
            pods.follow();
            Await.until("seen", () -> pods.gated().size() == 1);
            AdmittedPod waits = pods.gated().getFirst();
            assertThat(pods.isOpen(waits)).isFalse();
            assertThat(pods.running()).isEmpty();
            assertThat(Duration.between(waits.created(), pods.clock()))
                    .as("both are by the API server's clock, to the second")
                    .isBetween(Duration.ofSeconds(-1), Duration.ofMinutes(5));

            pods.open(waits, new VersionNotice(false, "RunsCold", "late"), Optional.empty());
            assertThat(pods.isOpen(waits)).isTrue();
            assertThat(pods.running()).extracting(AdmittedPod::uid).containsExactly(waits.uid());

            client.resource(pod()).delete();
            Await.until("gone", () -> !pods.isOpen(waits));
            Pod another = pod();
            another.getSpec().setSchedulingGates(List.of());
            client.resource(another).create();
            assertThat(pods.isOpen(waits)).as("of the same name").isFalse();

            AdmittedPod runs = pods.running().getFirst();
            pods.fail(runs, new VersionNotice(false, "Failed", "for a test"));
            assertThat(pods.running()).as("has ended").isEmpty();
            assertThat(client.resource(another).get().getStatus().getConditions())
                    .filteredOn(condition -> condition.getType().equals("PodScheduled"))
                    .extracting(PodCondition::getReason)
                    .as("what kubectl shows of a pod at a gate")
                    .containsExactly("ForebayFailed");
        }
    }

    @Test
    void callsFailWhileTheApiServerDoesNotAnswer() {
        try (KubernetesClient nobody =
                        new KubernetesClientBuilder()
                                .withConfig(
                                        new ConfigBuilder()
                                                .withMasterUrl("http://127.0.0.1:9")
                                                .withRequestRetryBackoffLimit(0)
                                                .build())
                                .build();
                Pods pods = new ClusterPods(nobody, Clock.systemUTC())) {
            AdmittedPod pod =
                    new AdmittedPod(
                            NAMESPACE,
                            "w-0",
                            "uid",
                            Instant.EPOCH,
                            Map.of(),
                            Optional.empty(),
                            Optional.empty());
            assertThatExceptionOfType(ForebayException.class).isThrownBy(() -> pods.isOpen(pod));
            assertThatExceptionOfType(ForebayException.class).isThrownBy(pods::clock);
        }
    }
}
