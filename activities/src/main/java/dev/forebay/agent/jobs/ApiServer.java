package dev.forebay.agent.jobs;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Set;
import java.util.function.Supplier;

/** Requests to the API server, and what it means if they fail. */
final class ApiServer {

    private ApiServer() {}

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
