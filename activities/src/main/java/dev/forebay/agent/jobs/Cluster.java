package dev.forebay.agent.jobs;

import io.fabric8.kubernetes.client.KubernetesClient;
import jakarta.inject.Singleton;
import java.time.Clock;

/** The Kubernetes cluster of a region. Makes no requests by itself. */
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
     * Returns its Jobs.
     *
     * @param podsHoldPins whether pods that the webhook has admitted count as Jobs of their own
     * @param workloadsHoldPins whether Kueue's Workloads count as Jobs
     */
    public Jobs jobs(boolean podsHoldPins, boolean workloadsHoldPins) {
        return new ClusterJobs(client, podsHoldPins, workloadsHoldPins, System::nanoTime);
    }

    /** Returns its pods that the webhook has changed. */
    public Pods pods() {
        return new ClusterPods(client, Clock.systemUTC());
    }

    /** Returns its nodes. */
    public Nodes nodes() {
        return new ClusterNodes(client);
    }

    /** Returns its Workloads that wait for a version. */
    public Workloads workloads() {
        return new ClusterWorkloads(client, Clock.systemUTC());
    }

    /**
     * Returns the registration of the webhook for its pods.
     *
     * @param namespace the namespace of the Secret
     * @param secret the Secret that keeps the key
     * @param configuration the MutatingWebhookConfiguration
     */
    public WebhookRegistration registration(String namespace, String secret, String configuration) {
        return new ClusterRegistration(client, namespace, secret, configuration);
    }
}
