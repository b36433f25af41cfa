package dev.forebay.fuse;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Serves metrics and health over HTTP. They contain nothing secret. */
final class PodServer implements AutoCloseable {

    /** Without time limits, incomplete requests would block the threads forever. */
    private static final String LONGEST_REQUEST = "sun.net.httpserver.maxReqTime";

    private static final String LONGEST_ANSWER = "sun.net.httpserver.maxRspTime";

    static {
        System.setProperty(LONGEST_REQUEST, System.getProperty(LONGEST_REQUEST, "5"));
        System.setProperty(LONGEST_ANSWER, System.getProperty(LONGEST_ANSWER, "30"));
    }

    /**
     * A kubelet counts a probe that redirects to another host as passed, and makes an event of the
     * pod from the answer. This lets a pod report a warning without access to the API server. <a
     * href="https://kubernetes.io/docs/concepts/workloads/pods/probes/#http-probes">HTTP probes</a>
     */
    private static final int PASSED_WITH_AN_EVENT = 307;

    private static final String NO_HOST = "http://see-the-answer.invalid/";

    private static final int BACKLOG = 16;
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private final HttpServer server;
    private final ExecutorService executor = Executors.newFixedThreadPool(2, PodServer::daemon);

    /**
     * @param warning returns a warning for people about a process that is healthy nevertheless
     */
    PodServer(
            InetSocketAddress address,
            Supplier<String> metrics,
            BooleanSupplier ready,
            Supplier<Optional<String>> warning) {
        this(address, "--metrics-address, --metrics-port", () -> true, ready, warning);
        server.createContext(
                "/metrics",
                exchange -> answer(exchange, 200, "text/plain; version=0.0.4", metrics.get()));
    }

    /** Creates a server without metrics. */
    static PodServer ofHealth(
            InetSocketAddress address, BooleanSupplier live, BooleanSupplier ready) {
        return new PodServer(
                address, "--health-address, --health-port", live, ready, Optional::empty);
    }

    private PodServer(
            InetSocketAddress address,
            String options,
            BooleanSupplier live,
            BooleanSupplier ready,
            Supplier<Optional<String>> warning) {
        try {
            server = HttpServer.create(address, BACKLOG);
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s: cannot listen on %s:%d: %s"
                            .formatted(
                                    options,
                                    address.getHostString(),
                                    address.getPort(),
                                    e.getMessage()),
                    e);
        }
        server.setExecutor(executor);
        server.createContext(
                "/health/live",
                exchange -> {
                    Optional<String> warned = warning.get();
                    if (live.getAsBoolean() && warned.isPresent()) {
                        exchange.getResponseHeaders().set("Location", NO_HOST);
                        answer(exchange, PASSED_WITH_AN_EVENT, "text/plain", warned.get());
                    } else {
                        health(exchange, live.getAsBoolean());
                    }
                });
        server.createContext("/health/ready", exchange -> health(exchange, ready.getAsBoolean()));
        server.start();
    }

    private static Thread daemon(Runnable task) {
        return Thread.ofPlatform().daemon().name("http").unstarted(task);
    }

    /** Returns whether the server listens on all addresses of this machine. */
    boolean isOnAllAddresses() {
        return server.getAddress().getAddress().isAnyLocalAddress();
    }

    /** Returns the address for clients on this machine. */
    URI uri() {
        InetAddress listens = server.getAddress().getAddress();
        InetAddress address = listens.isAnyLocalAddress() ? LOOPBACK : listens;
        String host = address.getHostAddress();
        String literal = address instanceof Inet6Address ? "[" + host + "]" : host;
        return URI.create("http://" + literal + ":" + server.getAddress().getPort());
    }

    private static void health(HttpExchange exchange, boolean up) throws IOException {
        answer(
                exchange,
                up ? 200 : 503,
                "application/json",
                "{\"status\":\"%s\"}\n".formatted(up ? "UP" : "DOWN"));
    }

    private static void answer(HttpExchange exchange, int status, String type, String body)
            throws IOException {
        try (exchange) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
