package dev.forebay.transfer;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.model.ChunkId;
import dev.forebay.placement.WorkerNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A worker that serves one array as every pack, and can be told to misbehave. */
public final class FakeWorker implements AutoCloseable {

    /** The fake's reaction to a request. */
    interface Behaviour {
        void answer(HttpExchange exchange) throws IOException;
    }

    private final HttpServer server;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final String id;
    private final byte[] pack;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private volatile Behaviour behaviour = this::serve;

    public FakeWorker(String id, byte[] pack) throws IOException {
        this.id = id;
        this.pack = pack;
        this.server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(executor);
        server.createContext(
                "/",
                exchange -> {
                    synchronized (requests) {
                        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
                        requests.notifyAll();
                    }
                    try (exchange) {
                        behaviour.answer(exchange);
                    }
                });
        server.start();
    }

    public WorkerNode node() {
        return new WorkerNode(
                id, URI.create("http://127.0.0.1:" + server.getAddress().getPort()), 1 << 30);
    }

    /** Waits until so many requests have arrived. Returns whether they have. */
    boolean awaitRequests(Predicate<String> counted, int count, Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        synchronized (requests) {
            try {
                while (requests.stream().filter(counted).count() < count) {
                    long millis = Duration.ofNanos(end - System.nanoTime()).toMillis();
                    if (millis <= 0) {
                        return false;
                    }
                    requests.wait(millis);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
            return true;
        }
    }

    List<String> requests() {
        synchronized (requests) {
            return List.copyOf(requests);
        }
    }

    /** Returns the requests that are reads of packs. */
    List<String> reads() {
        return requests().stream().filter(FakeWorker::isRead).toList();
    }

    static boolean isRead(String request) {
        return request.startsWith("GET /v1/packs/");
    }

    void behave(Behaviour behaviour) {
        this.behaviour = behaviour;
    }

    void honest() {
        behaviour = this::serve;
    }

    /** Does not answer before the fake is closed. */
    void silent() {
        behaviour = exchange -> awaitClosing();
    }

    void refuse(int status, @Nullable String code) {
        byte[] problem =
                (code == null
                                ? "<html>busy</html>"
                                : "{\"code\":\"%s\",\"detail\":\"because\"}".formatted(code))
                        .getBytes(StandardCharsets.UTF_8);
        behaviour = exchange -> send(exchange, status, problem);
    }

    /** Refuses requests as an overloaded worker does. */
    void crowded() {
        byte[] problem = "{\"code\":\"UNAVAILABLE\"}".getBytes(StandardCharsets.UTF_8);
        behaviour =
                exchange -> {
                    exchange.getResponseHeaders().add("Retry-After", "1");
                    send(exchange, 503, problem);
                };
    }

    void json(String body) {
        behaviour = exchange -> send(exchange, 200, body.getBytes(StandardCharsets.UTF_8));
    }

    /** Answers correctly except for one flipped bit. */
    void flipBit() {
        behaviour =
                exchange -> {
                    byte[] bytes = range(exchange);
                    describe(exchange, bytes);
                    bytes[bytes.length / 2] ^= 1;
                    send(exchange, 206, bytes);
                };
    }

    /** Announces more than it sends. */
    void cutShort() {
        behaviour =
                exchange -> {
                    byte[] bytes = range(exchange);
                    describe(exchange, bytes);
                    exchange.sendResponseHeaders(206, bytes.length);
                    exchange.getResponseBody().write(bytes, 0, bytes.length / 2);
                    exchange.getResponseBody().flush();
                };
    }

    /** Describes the whole range but sends, correctly framed, only a half of it. */
    void sendHalf() {
        behaviour =
                exchange -> {
                    byte[] bytes = range(exchange);
                    describe(exchange, bytes);
                    send(exchange, 206, Arrays.copyOf(bytes, bytes.length / 2));
                };
    }

    /** Answers status requests only. All other requests wait until the fake is closed. */
    void busy() {
        behaviour =
                exchange -> {
                    if (exchange.getRequestURI().getPath().equals(WorkerProtocol.STATUS_PATH)) {
                        send(exchange, 200, new byte[0]);
                    } else {
                        awaitClosing();
                    }
                };
    }

    /** Sends the head at once and then a byte every 10 ms. */
    void trickle() {
        behaviour =
                exchange -> {
                    byte[] bytes = range(exchange);
                    describe(exchange, bytes);
                    exchange.sendResponseHeaders(206, bytes.length);
                    for (byte each : bytes) {
                        exchange.getResponseBody().write(each);
                        exchange.getResponseBody().flush();
                        if (awaitClosing(Duration.ofMillis(10))) {
                            return;
                        }
                    }
                };
    }

    /** Has no copies: answers a request for a copy with a miss, and serves all others. */
    void cold() {
        behaviour =
                exchange -> {
                    String control = exchange.getRequestHeaders().getFirst("Cache-Control");
                    if (WorkerProtocol.ONLY_IF_CACHED.equals(control)) {
                        send(exchange, WorkerProtocol.MISS_STATUS, new byte[0]);
                    } else {
                        serve(exchange);
                    }
                };
    }

    private boolean awaitClosing(Duration time) {
        try {
            return closing.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void awaitClosing() {
        boolean _ = awaitClosing(Duration.ofDays(1));
    }

    /** Ends every answer after one checksum block. */
    void oneBlockEach() {
        behaviour =
                exchange -> {
                    byte[] bytes = range(exchange);
                    bytes =
                            Arrays.copyOf(
                                    bytes, Math.min(bytes.length, ChunkId.CHECKSUM_BLOCK_BYTES));
                    describe(exchange, bytes);
                    send(exchange, 206, bytes);
                };
    }

    void serve(HttpExchange exchange) throws IOException {
        byte[] bytes = range(exchange);
        describe(exchange, bytes);
        send(exchange, 206, bytes);
    }

    private byte[] range(HttpExchange exchange) {
        String[] ends =
                exchange.getRequestHeaders()
                        .getFirst("Range")
                        .substring("bytes=".length())
                        .split("-", 2);
        int to = (int) Math.min(pack.length, Long.parseLong(ends[1]) + 1);
        return Arrays.copyOfRange(pack, Integer.parseInt(ends[0]), to);
    }

    private void describe(HttpExchange exchange, byte[] bytes) {
        String range = exchange.getRequestHeaders().getFirst("Range");
        long from = Long.parseLong(range.substring("bytes=".length(), range.indexOf('-')));
        exchange.getResponseHeaders()
                .add(
                        "Content-Range",
                        "bytes %d-%d/%d".formatted(from, from + bytes.length - 1, pack.length));
        exchange.getResponseHeaders()
                .add(WorkerProtocol.CRC_HEADER, BlockChecksums.encode(ByteBuffer.wrap(bytes)));
        exchange.getResponseHeaders().add(WorkerProtocol.SOURCE_HEADER, "lake");
    }

    static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        executor.shutdownNow();
    }
}
