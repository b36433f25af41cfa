package dev.forebay.service.kubernetes;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/**
 * The one client of this process for the Kubernetes API server. It is created on first use and
 * sends nothing before.
 */
@Singleton
public final class KubernetesConnection {

    KubernetesConnection() {}

    @Produces
    @Singleton
    KubernetesClient client() {
        return connect();
    }

    /**
     * Returns a client of the cluster of this process, or of the one that {@code KUBECONFIG} names.
     */
    public static KubernetesClient connect() {
        Config config = Config.autoConfigure(null);
        // The client would use the machine's proxies even for its own cluster.
        config.setHttpProxy(null);
        config.setHttpsProxy(null);
        // The callers retry.
        config.setRequestRetryBackoffLimit(1);
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    void close(@Disposes KubernetesClient client) {
        client.close();
    }
}
