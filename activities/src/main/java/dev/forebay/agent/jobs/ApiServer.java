package dev.forebay.agent.jobs;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Sends requests to the API server and maps their failures. */
final class ApiServer {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private ApiServer() {}

    /**
     * Sends a request that changes nothing, and returns the answer.
     *
     * @param what the purpose of the request, for the message
     * @throws ForebayException {@code UNAVAILABLE} if the request fails
     */
    static <T> T ask(String what, Supplier<T> question) {
        try {
            return question.get();
        } catch (KubernetesClientException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the API server refuses to %s, or does not answer: %s"
                            .formatted(what, e.getMessage()),
                    e);
        }
    }

    /**
     * Returns the time of the API server's clock, to the second.
     *
     * @throws ForebayException {@code UNAVAILABLE} if the request fails
     */
    static Instant now(KubernetesClient client) {
        HttpClient http = client.getHttpClient();
        HttpRequest request =
                http.newHttpRequestBuilder()
                        .uri(client.getMasterUrl().toString() + "version")
                        .build();
        try {
            return http.sendAsync(request, String.class)
                    .thenApply(answer -> answer.header("Date"))
                    .thenApply(
                            date -> DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from))
                    .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw noTime(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw noTime(e);
        }
    }

    private static ForebayException noTime(Exception why) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE, "the API server does not report its time", why);
    }

    /**
     * Sends a request that changes something.
     *
     * @param harmless the statuses of refusals that are no failure
     * @return whether the change was made
     * @throws ForebayException {@code UNAVAILABLE} if it fails for another reason
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
