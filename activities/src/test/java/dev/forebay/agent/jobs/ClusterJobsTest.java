package dev.forebay.agent.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.membership.Pin;
import dev.forebay.model.DatasetVersion;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClusterJobsTest {

    private static final PinOwner POD = new PinOwner("Pod", "team", "p", "uid-1");
    private static final PinOwner WORKLOAD = new PinOwner("Workload", "team", "w", "uid-2");
    private static final PinOwner JOB = new PinOwner("Job", "team", "j", "uid-3");

    private final KubernetesClient client =
            new KubernetesClientBuilder()
                    .withConfig(new ConfigBuilder().withMasterUrl("http://127.0.0.1:1").build())
                    .build();

    @AfterEach
    void close() {
        client.close();
    }

    private static Pin pin(String id, PinOwner holder) {
        return new Pin(
                DatasetVersion.parse("a/b@v1"),
                id,
                holder.toString(),
                "",
                Duration.ofHours(1),
                holder.uid());
    }

    private static Pin takenFor(PinOwner holder) {
        return pin(holder.pinId(), holder);
    }

    @Test
    void theAgentChecksThePodAndWorkloadPinsOfTheGateOnlyIfEnabled() {
        ClusterJobs jobsOnly = new ClusterJobs(client, false, false, System::nanoTime);
        assertThat(jobsOnly.asksFor(takenFor(POD))).isFalse();
        assertThat(jobsOnly.asksFor(takenFor(WORKLOAD))).isFalse();
        assertThat(jobsOnly.asksFor(takenFor(JOB))).isTrue();
        assertThat(jobsOnly.asksFor(pin("my own", POD))).as("not the gate's").isTrue();

        ClusterJobs all = new ClusterJobs(client, true, true, System::nanoTime);
        assertThat(all.asksFor(takenFor(POD))).isTrue();
        assertThat(all.asksFor(takenFor(WORKLOAD))).isTrue();
    }
}
