package dev.forebay.agent.jobs;

import io.fabric8.kubernetes.client.KubernetesClient;
import jakarta.inject.Singleton;
import java.time.Clock;

/** The cluster that a region is in, as its API server has it. Asks nobody by itself. */
@Singleton
public final class Cluster {

    private final KubernetesClient client;

    /**
     * @param client is not closed with this
     */
    public Cluster(KubernetesClient client) {
        this.client = client;
    }

    /**
     * Its Jobs.
     *
     * @param podsHoldPins whether pods that the webhook has admitted count as Jobs of their own
     * @param workloadsHoldPins whether Kueue's Workloads do
     */
    public Jobs jobs(boolean podsHoldPins, boolean workloadsHoldPins) {
        return new ClusterJobs(client, podsHoldPins, workloadsHoldPins, System::nanoTime);
    }

    /** Its pods that wait for a version. */
    public Pods pods() {
        return new ClusterPods(client, Clock.systemUTC());
    }

    /** Its nodes. */
    public Nodes nodes() {
        return new ClusterNodes(client);
    }

    /** Its Workloads that wait for a version. */
    public Workloads workloads() {
        return new ClusterWorkloads(client, Clock.systemUTC());
    }

    /**
     * The webhook that its pods pass.
     *
     * @param namespace of the Secret
     * @param secret which keeps the key
     * @param configuration the MutatingWebhookConfiguration
     */
    public Registration registration(String namespace, String secret, String configuration) {
        return new ClusterRegistration(client, namespace, secret, configuration);
    }
}
