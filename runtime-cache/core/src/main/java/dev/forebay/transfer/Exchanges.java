package dev.forebay.transfer;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import dev.forebay.placement.WorkerNode;
import dev.forebay.thread.CatchAll;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends requests to workers. The number of concurrent requests is bounded. One timeout covers a
 * whole request, from the wait for a permit to the last byte of the answer. Safe for use by many
 * threads.
 */
final class Exchanges implements AutoCloseable {

    /** Enough for the coverage of 100 million chunks. */
    private static final long MAX_JSON_BYTES = 17 << 20;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client;
    private final ConnectionPool connections = new ConnectionPool();
    private final Semaphore permits;
    private final WorkerClientConfig config;

    Exchanges(WorkerClientConfig config) {
        this.config = config;
        this.permits = new Semaphore(config.maxRequests());
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        // Workers are near. A proxy of the machine is for hosts outside.
                        .proxy(HttpClient.Builder.NO_PROXY)
                        .connectTimeout(config.connectTimeout())
                        .executor(executor);
        // Used for workers with an https address. The client also checks their host names.
        config.authorities().ifPresent(those -> builder.sslContext(those.context()));
        this.client = builder.build();
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
        Exchange<HttpResponse<T>> exchange = begin(worker, request, body, timeout);
        try {
            exchange.awaitNanos(deadline - System.nanoTime());
            return exchange.answer();
        } finally {
            exchange.abandon();
        }
    }

    /**
     * Sends a request. Waits for a permit, but not for the answer.
     *
     * @param timeout timeout of the wait for a permit
     * @throws ForebayException {@code UNAVAILABLE} if there is no permit in time
     */
    <T> Exchange<HttpResponse<T>> begin(
            WorkerNode worker, HttpRequest request, BodyHandler<T> body, Duration timeout) {
        String what = request.method() + " " + request.uri().getPath();
        awaitTurn(worker, what, timeout);
        CompletableFuture<HttpResponse<T>> answer =
                CatchAll.closeOnFailure(permits::release, () -> client.sendAsync(request, body));
        var _ = answer.whenComplete((_, _) -> permits.release());
        return new Exchange<>(worker, what, answer, () -> answer.cancel(true));
    }

    /**
     * Requests bytes of a pack. Waits for a permit, but not for the answer.
     *
     * @param fields lines of the request's head
     * @param timeout timeout of the wait for a permit
     * @throws ForebayException {@code UNAVAILABLE} if there is no permit in time
     */
    Exchange<HttpHead> begin(
            WorkerNode worker,
            String pathAndQuery,
            List<String> fields,
            RangeReceiver receiver,
            Duration timeout) {
        String path = pathAndQuery.split("\\?", 2)[0];
        awaitTurn(worker, "GET " + path, timeout);
        List<String> all = new ArrayList<>(fields);
        config.token().ifPresent(token -> all.add(BearerToken.HEADER + ": " + token.headerValue()));
        if (config.ofWorker()) {
            all.add(WorkerProtocol.READER_HEADER + ": " + WorkerProtocol.WORKER_READS);
        }
        RangeFetch fetch =
                new RangeFetch(
                        connections,
                        config.connectTimeout(),
                        client.sslContext(),
                        worker.address(),
                        pathAndQuery,
                        all,
                        receiver);
        var _ = fetch.answer().whenComplete((_, _) -> permits.release());
        try {
            CatchAll.closeOnFailure(
                    permits::release,
                    () -> {
                        executor.execute(fetch);
                        return fetch;
                    });
        } catch (RejectedExecutionException e) {
            throw unavailable(worker, "GET " + path, "this client is closed", e);
        }
        return new Exchange<>(worker, "GET " + path, fetch.answer(), fetch::abandon);
    }

    private void awaitTurn(WorkerNode worker, String what, Duration timeout) {
        try {
            if (!permits.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new ForebayException(
                        ErrorCode.UNAVAILABLE,
                        "%d other requests to workers are running, and none ended within %s: retry"
                                .formatted(config.maxRequests(), Seconds.of(timeout)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable(worker, what, "interrupted", e);
        }
    }

    /**
     * Checks whether a worker's process answers at all. Sends a small request that needs no permit.
     */
    CompletableFuture<Boolean> answers(WorkerNode worker, Duration timeout) {
        HttpRequest request = request(worker, WorkerProtocol.STATUS_PATH).GET().build();
        CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(request, limitedBytes());
        return answer.<Boolean>handle((_, failure) -> failure == null)
                .completeOnTimeout(false, timeout.toNanos(), TimeUnit.NANOSECONDS)
                .whenComplete((_, _) -> answer.cancel(true));
    }

    /**
     * A request that was sent. The caller must call {@link #abandon} in the end. Not thread-safe.
     *
     * @param <A> the answer
     */
    static final class Exchange<A> {
        private final WorkerNode worker;
        private final String what;
        private final CompletableFuture<A> answer;
        private final Runnable abandon;
        private final long startNanos = System.nanoTime();

        private Exchange(
                WorkerNode worker, String what, CompletableFuture<A> answer, Runnable abandon) {
            this.worker = worker;
            this.what = what;
            this.answer = answer;
            this.abandon = abandon;
        }

        /** Waits until the answer is complete, the request has failed, or the time is up. */
        void awaitNanos(long nanos) {
            try {
                Object _ = answer.get(nanos, TimeUnit.NANOSECONDS);
            } catch (TimeoutException | ExecutionException later) {
                // The caller reads the outcome later.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw unavailable(worker, what, "interrupted", e);
            }
        }

        boolean ended() {
            return answer.isDone();
        }

        CompletableFuture<?> end() {
            return answer;
        }

        /**
         * Returns the answer.
         *
         * @throws ForebayException {@code UNAVAILABLE} if the request failed or is not complete yet
         */
        A answer() {
            if (!answer.isDone()) {
                Duration waited = Duration.ofNanos(System.nanoTime() - startNanos);
                throw unavailable(
                        worker,
                        what,
                        "no answer within %d ms".formatted(waited.toMillis()),
                        new TimeoutException());
            }
            try {
                return answer.join();
            } catch (CompletionException e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                throw unavailable(
                        worker, what, ConnectionFailure.explain(cause, worker.address()), cause);
            }
        }

        /**
         * Closes the connection of an answer that is not complete. Does nothing to a complete one.
         */
        void abandon() {
            if (!answer.isDone()) {
                abandon.run();
            }
        }
    }

    private static ForebayException unavailable(
            WorkerNode worker, String what, String why, Throwable cause) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "worker %s: %s: %s".formatted(worker.id(), what, why),
                cause);
    }

    /** Returns a handler for a body that must be small: JSON, or the explanation of a refusal. */
    static BodyHandler<byte[]> limitedBytes() {
        return BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_JSON_BYTES);
    }

    @Override
    public void close() {
        connections.close();
        client.shutdownNow();
        executor.shutdownNow();
    }
}
