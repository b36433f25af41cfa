package dev.forebay.service.kubernetes;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/**
 * The one client of this process for the API server of Kubernetes, made when somebody wants it.
 * Nothing is sent before it is used.
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
     * Returns a client of the cluster that this process is in, or that {@code KUBECONFIG} names.
     */
    public static KubernetesClient connect() {
        Config config = Config.autoConfigure(null);
        // It would take the proxies of the machine for a cluster that this process is in.
        config.setHttpProxy(null);
        config.setHttpsProxy(null);
        // Who asks asks again.
        config.setRequestRetryBackoffLimit(1);
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    void close(@Disposes KubernetesClient client) {
        client.close();
    }
}
