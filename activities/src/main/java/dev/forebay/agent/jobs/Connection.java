package dev.forebay.agent.jobs;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Set;
import java.util.function.Supplier;

/** How this process reaches the API server. */
final class Connection {

    private Connection() {}

    /** To the cluster that this process is in, or that {@code KUBECONFIG} names. */
    static KubernetesClient open() {
        Config config = Config.autoConfigure(null);
        // Who asks asks again.
        config.setRequestRetryBackoffLimit(1);
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    /**
     * Asks the API server.
     *
     * @param what it is to do, for the message
     * @throws ForebayException {@code UNAVAILABLE} if it does not
     */
    static <T> T ask(String what, Supplier<T> question) {
        try {
            return question.get();
        } catch (KubernetesClientException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the API server does not %s: %s".formatted(what, e.getMessage()),
                    e);
        }
    }

    /**
     * Has the API server do something.
     *
     * @param harmless the statuses with which it may refuse
     * @return whether it did
     * @throws ForebayException {@code UNAVAILABLE} if it refuses for another reason
     */
    static boolean tell(String what, Set<Integer> harmless, Runnable request) {
        return ask(
                what,
                () -> {
                    try {
                        request.run();
                        return true;
                    } catch (KubernetesClientException e) {
                        if (harmless.contains(e.getCode())) {
                            return false;
                        }
                        throw e;
                    }
                });
    }
}
