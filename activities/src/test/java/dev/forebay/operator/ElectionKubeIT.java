package dev.forebay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.testing.Await;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas with a Lease of a real API server, which is killed. */
@SuppressWarnings("NullAway.Init")
class ElectionKubeIT {

    private static final String NAMESPACE = "default";

    @TempDir private static Path directory;

    private static KubernetesCluster cluster;
    private static KubernetesClient client;

    private final Set<String> leading = ConcurrentHashMap.newKeySet();
    private final List<Election> replicas = new ArrayList<>();

    @BeforeAll
    static void start() {
        cluster = KubernetesCluster.start(directory);
        // The same setting as in a control plane.
        client =
                new KubernetesClientBuilder()
                        .withConfig(
                                new ConfigBuilder(cluster.client().getConfiguration())
                                        .withRequestRetryBackoffLimit(1)
                                        .build())
                        .build();
    }

    @AfterAll
    static void stop() {
        client.close();
        cluster.close();
    }

    @AfterEach
    void close() {
        replicas.forEach(Election::close);
        assertThat(leading).isEmpty();
    }

    private Election replica(String name) {
        Election election =
                new Election(
                        client,
                        NAMESPACE,
                        name,
                        () -> {
                            leading.add(name);
                            return () -> leading.remove(name);
                        });
        replicas.add(election);
        election.start();
        return election;
    }

    /** A released Lease keeps its holder's name, with a duration of one second. */
    private static boolean isHeldBy(String replica) {
        LeaseSpec lease =
                client.leases().inNamespace(NAMESPACE).withName(Election.LEASE).get().getSpec();
        return replica.equals(lease.getHolderIdentity()) && lease.getLeaseDurationSeconds() > 1;
    }

    @Test
    void aClosedReplicaPassesTheLeaseToTheNext() {
        Election first = replica("first");
        Await.until("the first leads", first::isLeading);
        assertThat(isHeldBy("first")).isTrue();
        Election second = replica("second");

        first.close();

        assertThat(first.isLeading()).isFalse();
        assertThat(isHeldBy("first")).isFalse();
        Await.until("the second leads", second::isLeading);
        assertThat(leading).containsExactly("second");
    }

    @Test
    void aReplicaWithoutTheApiServerStopsLeadingAndIsElectedAgain() {
        Election only = replica("only");
        for (int i = 0; i < 2; i++) {
            Await.until("it leads", only::isLeading);
            cluster.apiServer().kill9();
            Await.until("it no longer leads", () -> !only.isLeading());
            assertThat(leading).isEmpty();
            cluster.apiServer().restart();
        }
        Await.until("it leads again", only::isLeading);
    }
}
