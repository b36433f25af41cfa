package dev.forebay.agent.admission;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.agent.jobs.WebhookKey;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.SSLOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What the API server asks, over TLS, on a port of its own: it has no token to show, so nothing
 * else is to be had there. Safe for use by many threads, but for event loops.
 */
public final class AdmissionServer implements AutoCloseable {

    /** Where reviews of pods are posted. */
    public static final String PATH = "/pods";

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Of one request: an object may have 3 MiB in etcd; a review has it with some lines around it.
     */
    public static final long MOST_BYTES = 4L << 20;

    /** The API server waits for an answer for no longer. */
    private static final long READ_MILLIS = 30_000;

    /** Longer than API servers keep a connection that nobody uses: they close it, not we. */
    private static final int IDLE_SECONDS = 180;

    /**
     * For who closes. An API server keeps its connections, also to an agent that is to go, and does
     * not repeat what is cut on one: pods would be made as if nobody were there.
     */
    private static final Duration LEAVE = Duration.ofSeconds(3);

    private static final int PATIENCE_SECONDS = 10;

    private final Vertx vertx;
    private final String host;
    private final int port;
    private final Reviews reviews;
    private final Room room;
    private final Duration leave;
    private final BodyHandler bodies = BodyHandler.create(false).setBodyLimit(MOST_BYTES);

    private final AtomicInteger connections = new AtomicInteger();
    private final CompletableFuture<Void> deserted = new CompletableFuture<>();
    private volatile boolean leaving;

    // Guarded by this.
    private @Nullable HttpServer server;

    /**
     * @param port 0 for any
     * @param requestBytes what the bodies of requests that are being read may have together, at
     *     least {@link #MOST_BYTES}; others are refused. What is made of them comes on top, of one
     *     at a time: they are all answered by one event loop
     * @param change what is done to pods
     */
    public AdmissionServer(
            Vertx vertx, String host, int port, long requestBytes, PodChange change) {
        this(vertx, host, port, requestBytes, change, LEAVE);
    }

    /**
     * @param leave how long those that are connected have to leave when this closes
     */
    AdmissionServer(
            Vertx vertx,
            String host,
            int port,
            long requestBytes,
            PodChange change,
            Duration leave) {
        this.leave = leave;
        this.vertx = vertx;
        this.host = host;
        this.port = port;
        this.reviews = new Reviews(change);
        this.room = new Room(requestBytes);
    }

    /**
     * Listens with this key, or shows it from now on to who connects.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if it cannot
     */
    synchronized void serve(WebhookKey key) {
        PemKeyCertOptions shown =
                new PemKeyCertOptions()
                        .setCertValue(Buffer.buffer(key.certificate()))
                        .setKeyValue(Buffer.buffer(key.key()));
        HttpServer listening = server;
        if (listening == null) {
            server = await(listen(shown));
        } else {
            await(listening.updateSSLOptions(new SSLOptions().setKeyCertOptions(shown)));
        }
    }

    private Future<HttpServer> listen(PemKeyCertOptions shown) {
        Router router = Router.router(vertx);
        router.post(PATH).handler(this::admit).handler(this::review);
        return vertx.createHttpServer(
                        new HttpServerOptions()
                                .setHost(host)
                                .setPort(port)
                                .setSsl(true)
                                .setUseAlpn(false)
                                .setKeyCertOptions(shown)
                                .setIdleTimeout(IDLE_SECONDS))
                .connectionHandler(this::connected)
                .requestHandler(router)
                .listen();
    }

    private void connected(HttpConnection connection) {
        connections.incrementAndGet();
        connection.closeHandler(
                _ -> {
                    if (connections.decrementAndGet() == 0 && leaving) {
                        deserted.complete(null);
                    }
                });
    }

    /** Lets a request in, for a while, if there is room for what it says that it has. */
    private void admit(RoutingContext request) {
        long bytes = Math.min(size(request.request()), MOST_BYTES);
        Optional<Runnable> taken = room.take(bytes);
        if (taken.isEmpty()) {
            request.response()
                    .putHeader("Retry-After", "1")
                    // Nobody reads what comes behind.
                    .putHeader("Connection", "close")
                    .setStatusCode(503);
            var _ = request.end("more requests than forebay.admission.request-bytes has room for");
            return;
        }
        long timer =
                vertx.setTimer(
                        READ_MILLIS,
                        _ -> {
                            var _ = request.request().connection().close();
                        });
        request.addEndHandler(
                _ -> {
                    vertx.cancelTimer(timer);
                    taken.get().run();
                });
        bodies.handle(request);
    }

    /** Of its body, or as much as one may have, if it does not say. */
    private static long size(HttpServerRequest request) {
        String said = request.getHeader("Content-Length");
        try {
            return said == null ? MOST_BYTES : Long.parseLong(said);
        } catch (NumberFormatException e) {
            return MOST_BYTES;
        }
    }

    private void review(RoutingContext request) {
        byte[] answer;
        try {
            String body = Objects.requireNonNullElse(request.body().asString(), "");
            answer = JSON.writeValueAsBytes(reviews.answer(JSON.readTree(body)));
        } catch (IOException e) {
            request.fail(400, e);
            return;
        }
        request.response().putHeader("Content-Type", "application/json");
        if (leaving) {
            // Vert.x itself closes only if the request asked for it.
            request.response().putHeader("Connection", "close");
            var _ =
                    request.end(Buffer.buffer(answer))
                            .onComplete(_ -> request.request().connection().close());
        } else {
            var _ = request.end(Buffer.buffer(answer));
        }
    }

    private <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage()
                    .toCompletableFuture()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw unusable(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unusable(e);
        }
    }

    private ForebayException unusable(Exception why) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT,
                "forebay.admission.port: cannot listen on %s port %d: %s"
                        .formatted(host, port, why),
                why);
    }

    /** The port it listens on, once it does. */
    public synchronized Optional<Integer> port() {
        return Optional.ofNullable(server).map(HttpServer::actualPort);
    }

    /** Each connection ends with its next answer; those that had none for a while just end. */
    @Override
    public synchronized void close() {
        if (server != null) {
            leaving = true;
            if (connections.get() == 0) {
                deserted.complete(null);
            }
            deserted.completeOnTimeout(null, leave.toMillis(), TimeUnit.MILLISECONDS).join();
            await(server.close());
        }
    }
}
