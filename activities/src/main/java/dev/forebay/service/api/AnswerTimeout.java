package dev.forebay.service.api;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends requests whose timeout covers the whole answer. The timeout of the JDK's client ends with
 * the head of the answer. If the server lost power after that, the caller would wait without end.
 */
public final class AnswerTimeout {

    private AnswerTimeout() {}

    /**
     * Sends a request and waits for its answer.
     *
     * @param request with a timeout
     * @throws HttpTimeoutException if the answer is not complete in time
     */
    public static HttpResponse<String> to(HttpRequest request, HttpClient http)
            throws IOException, InterruptedException {
        return to(request, http, BodyHandlers.ofString());
    }

    /** As {@link #to(HttpRequest, HttpClient)}, for a body of any type. */
    public static <T> HttpResponse<T> to(
            HttpRequest request, HttpClient http, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        Duration timeout = request.timeout().orElseThrow();
        CompletableFuture<HttpResponse<T>> answer = http.sendAsync(request, handler);
        try {
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new HttpTimeoutException("no complete answer within " + timeout);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e);
        } finally {
            // Ends the exchange, if it has not ended.
            answer.cancel(true);
        }
    }
}
