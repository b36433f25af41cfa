package dev.forebay.agent.workers;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.model.ChunkId;
import dev.forebay.placement.WorkerNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The protocol of a cache worker without a store. It records the chunks that it is asked to fill,
 * as far as permits allow. All chunks count as full.
 */
public final class FakeWorker implements AutoCloseable {

    private static final Pattern CHUNK = Pattern.compile("/v1/packs/[0-9a-f]+/chunks/([0-9]+)");

    private final HttpServer server;
    private final String id;
    private final List<Integer> filled = new CopyOnWriteArrayList<>();
    private final Semaphore permits;
    private volatile String shares = "";
    private volatile String secondsSinceRead = "";
    private volatile boolean refusesDrops;

    /**
     * @param permits how many fills and drops it answers before it hangs
     */
    public FakeWorker(String id, int permits) {
        this.id = id;
        this.permits = new Semaphore(permits);
        try {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/v1/packs/", this::fill);
        server.createContext("/v1/manifests/", this::manifest);
        server.createContext(
                "/v1/status",
                exchange ->
                        answer(
                                exchange,
                                "{\"id\":\"%s\",\"region\":\"r\",\"capacityBytes\":99,\"usedBytes\":7,\"chunks\":1}"
                                        .formatted(id)));
        server.createContext(
                "/v1/usage",
                exchange ->
                        answer(
                                exchange,
                                "{\"capacityBytes\":99,\"usedBytes\":7,\"complete\":true,\"shares\":[%s],\"secondsSinceRead\":{%s}}"
                                        .formatted(shares, secondsSinceRead)));
        server.start();
    }

    /** Sets its report on chunks, as JSON. */
    public void holds(String newShares, String newSecondsSinceRead) {
        shares = newShares;
        secondsSinceRead = newSecondsSinceRead;
    }

    /** Makes it refuse drops, as for a version that is not being evicted. */
    public void refuseDrops() {
        refusesDrops = true;
    }

    public WorkerNode node() {
        return new WorkerNode(
                id, URI.create("http://127.0.0.1:" + server.getAddress().getPort()), 1L << 30);
    }

    /** Returns the filled chunks in order, with repetitions. */
    public List<Integer> filled() {
        return List.copyOf(filled);
    }

    public void permit(int more) {
        permits.release(more);
    }

    private void fill(HttpExchange exchange) throws IOException {
        Matcher path = CHUNK.matcher(exchange.getRequestURI().getPath());
        if (!path.matches()) {
            throw new IOException("unexpected " + exchange.getRequestURI());
        }
        permits.acquireUninterruptibly();
        filled.add(Integer.parseInt(path.group(1)));
        answer(
                exchange,
                "{\"liveBytes\":%d,\"bytesFromLake\":10,\"bytesFromPeers\":0,\"bytesFromSiblings\":0}"
                        .formatted(ChunkId.CHUNK_BYTES));
    }

    private void manifest(HttpExchange exchange) throws IOException {
        if (exchange.getRequestMethod().equals("DELETE") && refusesDrops) {
            answer(exchange, 409, "{\"code\":\"PINNED\",\"detail\":\"pinned\"}");
            return;
        }
        if (exchange.getRequestMethod().equals("DELETE")) {
            permits.acquireUninterruptibly();
            filled.clear();
            answer(exchange, "{\"chunksDropped\":1,\"bytesDropped\":1}");
            return;
        }
        BitSet held = new BitSet();
        filled.forEach(held::set);
        answer(
                exchange,
                "{\"chunks\":%d,\"held\":\"%s\",\"liveBytes\":%d}"
                        .formatted(
                                held.length(),
                                Base64.getEncoder().encodeToString(held.toByteArray()),
                                held.cardinality() * (long) ChunkId.CHUNK_BYTES));
    }

    private static void answer(HttpExchange exchange, String body) throws IOException {
        answer(exchange, 200, body);
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
