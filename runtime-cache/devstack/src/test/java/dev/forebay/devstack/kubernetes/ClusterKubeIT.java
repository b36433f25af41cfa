package dev.forebay.devstack.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that a cluster with simulated nodes handles objects like a real cluster. */
class ClusterKubeIT {
    private static final String NAMESPACE = "default";
    private static final int SECONDS = 60;

    @TempDir Path directory;

    @Test
    void theClusterSchedulesPodsRunsJobsAndSurvivesAnApiServerCrash() throws Exception {
        try (KubernetesCluster cluster = KubernetesCluster.start(directory)) {
            KubernetesClient client = cluster.client();
            assertThat(client.getKubernetesVersion().getGitVersion()).startsWith("v1.34.");
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(cluster.kubeconfig())))
                    .isEqualTo("rw-------");

            runsWhereItMay(cluster);
            jobsEnd(client);
            cluster.apiServer().kill9();
            cluster.apiServer().restart();
            goesOn(client);
        }
        assertThat(ProcessHandle.allProcesses())
                .extracting(process -> process.info().commandLine().orElse(""))
                .noneMatch(command -> command.contains(directory.toString()));
    }

    private static void runsWhereItMay(KubernetesCluster cluster) {
        KubernetesClient client = cluster.client();
        List<String> open = cluster.addNodes("open", 2, Map.of("disk", "nvme"));
        cluster.addNodes(
                "shut",
                1,
                Map.of(),
                new TaintBuilder().withKey("gpu").withEffect("NoSchedule").build());
        assertThat(client.nodes().withLabel("disk", "nvme").list().getItems())
                .extracting(Node::getMetadata)
                .extracting(it -> it.getName())
                .containsExactlyInAnyOrderElementsOf(open);

        client.resource(deployment()).create();
        client.apps()
                .deployments()
                .inNamespace(NAMESPACE)
                .withName("web")
                .waitUntilReady(SECONDS, TimeUnit.SECONDS);

        List<Pod> pods = client.pods().inNamespace(NAMESPACE).list().getItems();
        assertThat(pods).hasSize(4);
        assertThat(pods).extracting(pod -> pod.getSpec().getNodeName()).isSubsetOf(open);
    }

    private static void jobsEnd(KubernetesClient client) {
        client.resource(job()).create();

        Job ended =
                client.batch()
                        .v1()
                        .jobs()
                        .inNamespace(NAMESPACE)
                        .withName("train")
                        .waitUntilCondition(
                                job ->
                                        job != null
                                                && job.getStatus() != null
                                                && job.getStatus().getCompletionTime() != null,
                                SECONDS,
                                TimeUnit.SECONDS);
        assertThat(ended.getStatus().getSucceeded()).isEqualTo(2);
    }

    private static void goesOn(KubernetesClient client) {
        client.apps().deployments().inNamespace(NAMESPACE).withName("web").scale(6);

        client.apps()
                .deployments()
                .inNamespace(NAMESPACE)
                .withName("web")
                .waitUntilCondition(
                        it ->
                                it != null
                                        && Integer.valueOf(6)
                                                .equals(it.getStatus().getReadyReplicas()),
                        SECONDS,
                        TimeUnit.SECONDS);
    }

    private static Deployment deployment() {
        return new DeploymentBuilder()
                .withNewMetadata()
                .withName("web")
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withReplicas(4)
                .withNewSelector()
                .addToMatchLabels("app", "web")
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels("app", "web")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("web")
                .withImage("web")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    private static Job job() {
        return new JobBuilder()
                .withNewMetadata()
                .withName("train")
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withCompletions(2)
                .withParallelism(2)
                .withNewTemplate()
                .withNewSpec()
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
}
