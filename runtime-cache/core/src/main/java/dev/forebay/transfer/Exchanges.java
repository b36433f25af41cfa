package dev.forebay.transfer;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends requests to workers: a bounded number at once, each with one time-out for everything from
 * waiting for its turn to the last byte of the answer.
 */
final class Exchanges implements AutoCloseable {

    /** Room for the coverage of 100 million chunks. */
    private static final long MAX_JSON_BYTES = 17 << 20;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client;
    private final Semaphore permits;
    private final WorkerClientConfig config;

    Exchanges(WorkerClientConfig config) {
        this.config = config;
        this.permits = new Semaphore(config.maxRequests());
        this.client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(config.connectTimeout())
                        .executor(executor)
                        .build();
    }

    HttpRequest.Builder request(WorkerNode worker, String pathAndQuery) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(worker.address().resolve(pathAndQuery));
        config.token().ifPresent(token -> request.header(BearerToken.HEADER, token.headerValue()));
        return request;
    }

    /**
     * Sends a request and waits for the whole answer.
     *
     * @throws ForebayException {@code UNAVAILABLE} if there is no answer in time or the connection
     *     fails
     */
    <T> HttpResponse<T> send(
            WorkerNode worker, HttpRequest request, BodyHandler<T> body, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            if (!permits.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new ForebayException(
                        ErrorCode.UNAVAILABLE,
                        "%d requests to workers are on their way, no turn for this one within %s"
                                .formatted(config.maxRequests(), timeout));
            }
            try {
                return await(client.sendAsync(request, body), deadline);
            } finally {
                permits.release();
            }
        } catch (TimeoutException e) {
            throw unavailable(worker, request, "no answer within " + timeout, e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw unavailable(worker, request, cause.toString(), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable(worker, request, "interrupted", e);
        }
    }

    private static <T> HttpResponse<T> await(
            CompletableFuture<HttpResponse<T>> answer, long deadlineNanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        try {
            return answer.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } finally {
            // Does nothing to an answer that is complete; closes the connection of any other.
            answer.cancel(true);
        }
    }

    private static ForebayException unavailable(
            WorkerNode worker, HttpRequest request, String why, Throwable cause) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "worker %s: %s %s: %s"
                        .formatted(worker.id(), request.method(), request.uri().getPath(), why),
                cause);
    }

    /** Receives a body that must be small: JSON, or the explanation of a refusal. */
    static BodyHandler<byte[]> limitedBytes() {
        return BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_JSON_BYTES);
    }

    @Override
    public void close() {
        client.shutdownNow();
        executor.shutdownNow();
    }
}
