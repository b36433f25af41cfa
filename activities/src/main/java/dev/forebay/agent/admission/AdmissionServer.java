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
 * Serves the admission webhook to the API server, over TLS on a port of its own. The API server has
 * no token to send, so this port serves nothing else. Safe for use by many threads, but not by
 * event loops.
 */
public final class AdmissionServer implements AutoCloseable {

    /** The path to which the API server posts reviews of pods. */
    public static final String PATH = "/pods";

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * The limit of one request: an object may have 3 MiB in etcd, and a review adds little to it.
     */
    public static final long MOST_BYTES = 4L << 20;

    /** The API server waits no longer for an answer. */
    private static final long READ_MILLIS = 30_000;

    /** Longer than API servers keep idle connections, so that they close them first. */
    private static final int IDLE_SECONDS = 180;

    /**
     * The grace period of {@link #close}. API servers keep their connections, even to an agent that
     * is stopping, and do not repeat a request that was cut off. Pods would then be created without
     * the webhook.
     */
    private static final Duration LEAVE = Duration.ofSeconds(3);

    private static final int TIMEOUT_SECONDS = 10;

    private final Vertx vertx;
    private final String host;
    private final int port;
    private final Reviews reviews;
    private final MemoryBudget requestMemory;
    private final Duration leave;
    private final BodyHandler bodies = BodyHandler.create(false).setBodyLimit(MOST_BYTES);

    private final AtomicInteger connections = new AtomicInteger();
    private final CompletableFuture<Void> deserted = new CompletableFuture<>();
    private volatile boolean leaving;

    // Guarded by this.
    private @Nullable HttpServer server;

    /**
     * @param port 0 for any
     * @param requestBytes the most bytes of request bodies that are being read, at least {@link
     *     #MOST_BYTES}; requests beyond it are refused. Parsing needs more memory, for one body at
     *     a time, because one event loop answers all
     * @param change how pods are changed
     */
    public AdmissionServer(
            Vertx vertx, String host, int port, long requestBytes, PodChange change) {
        this(vertx, host, port, requestBytes, change, LEAVE);
    }

    /**
     * @param leave the grace period of open connections when this closes
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
        this.requestMemory = new MemoryBudget(requestBytes);
    }

    /**
     * Listens with this key. If it listens already, it uses the key for new connections.
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

    /** Admits a request, for a limited time, if there is memory for the size that it declares. */
    private void admit(RoutingContext request) {
        long bytes = Math.min(size(request.request()), MOST_BYTES);
        Optional<Runnable> taken = requestMemory.take(bytes);
        if (taken.isEmpty()) {
            request.response()
                    .putHeader("Retry-After", "1")
                    // The body that follows is not read.
                    .putHeader("Connection", "close")
                    .setStatusCode(503);
            var _ =
                    request.end(
                            "open requests already use forebay.admission.request-bytes: try "
                                    + "again, or raise that setting");
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

    /** Returns the declared size of the body, or the limit if none is declared. */
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
            // Vert.x closes the connection only if the request asked for it.
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
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
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

    /** Returns the port, once the server listens. */
    public synchronized Optional<Integer> port() {
        return Optional.ofNullable(server).map(HttpServer::actualPort);
    }

    /** Closes the server. Each connection ends with its next answer, or after the grace period. */
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
