package dev.forebay.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/**
 * A fake gateway of an agent. It renews pins whose id begins with {@code alive}, and those that the
 * region holds.
 */
final class FakeGateway implements AutoCloseable {

    private static final String NOTHING =
            """
            {"capacity_bytes":1000000,"used_bytes":0,"orphan_bytes":0,"unknown":[],"versions":[],"shares":[],
            "space_bytes":{}}""";

    /** The survey of a region without workers. */
    private static final String EMPTY =
            """
            {"capacity_bytes":0,"taken_bytes":0,"namespace_bytes":0,"speed":{},"residents":[],
            "queue":[],"relatives":[]}""";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server;
    private final Map<String, String> accounts = new ConcurrentSkipListMap<>();
    private final List<String> settled = new CopyOnWriteArrayList<>();
    private volatile boolean etcdReachable = true;
    private volatile String survey = whole("{}", EMPTY);
    private volatile String surveyed = "";
    private volatile String usage = NOTHING;
    private volatile String pins = "{\"pins\":[]}";
    private volatile String verified =
            "{\"next\":1,\"done\":true,\"intact\":1,\"repaired\":0,\"unanswered\":0}";
    private final Map<String, byte[]> manifests = new ConcurrentHashMap<>();
    private volatile Predicate<String> held = _ -> false;

    FakeGateway() {
        try {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/v1/pins/", this::renew);
        server.createContext("/v1/workers/", this::accounts);
        server.createContext(
                "/v1/region",
                exchange ->
                        answer(
                                exchange,
                                200,
                                """
                                {"name":"test-1","mount_root":"/mnt/test","etcd_reachable":%s,"later":1,
                                "workers":[{"id":"w1","address":"http://w1:1","live":true,
                                "capacity_bytes":10,"used_bytes":null}]}"""
                                        .formatted(etcdReachable)));
        server.createContext(
                "/v1/survey",
                exchange -> {
                    surveyed =
                            new String(
                                    exchange.getRequestBody().readAllBytes(),
                                    StandardCharsets.UTF_8);
                    answer(exchange, 200, survey);
                });
        // The server prefers longer paths.
        server.createContext("/v1/pins", exchange -> answer(exchange, 200, pins));
        server.createContext("/v1/manifests/", this::manifest);
        server.createContext("/v1/verify", exchange -> answer(exchange, 200, verified));
        server.createContext("/v1/usage", exchange -> answer(exchange, 200, usage));
        server.start();
    }

    /**
     * Sets the answer to surveys, in JSON. Members that are left out are those of {@link #EMPTY}.
     */
    void setSurvey(String json) {
        survey = whole(json, EMPTY);
    }

    /** Adds the members of a complete answer that some JSON leaves out. */
    private static String whole(String json, String complete) {
        try {
            ObjectNode given = (ObjectNode) JSON.readTree(json);
            given.properties().removeIf(member -> member.getValue().isNull());
            ObjectNode whole = ((ObjectNode) JSON.readTree(complete)).setAll(given);
            return whole.set("known_bytes", whole.get("capacity_bytes")).toString();
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Returns the last survey request. */
    String surveyed() {
        return surveyed;
    }

    /** Sets the statement of an account of the gateway's only worker. */
    void says(String account, String statement) {
        accounts.put(account, statement);
    }

    /** Returns the closed accounts that the control plane has settled, with their revisions. */
    List<String> settled() {
        return List.copyOf(settled);
    }

    private void accounts(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String last = path.substring(path.lastIndexOf('/') + 1);
        String query = exchange.getRequestURI().getQuery();
        if (exchange.getRequestMethod().equals("DELETE")) {
            settled.add(last + " " + query);
            accounts.remove(last);
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
            return;
        }
        // Two pages if there are two accounts.
        boolean first = query.equals("after=-1");
        List<String> all = new ArrayList<>(accounts.values());
        List<String> page =
                first ? all.subList(0, Math.min(1, all.size())) : all.subList(1, all.size());
        answer(
                exchange,
                200,
                "{\"accounts\":[%s],\"next\":%s}"
                        .formatted(String.join(",", page), first && all.size() > 1 ? "0" : "null"));
    }

    /** Sets the usage of the chunk stores. */
    void setUsage(String json) {
        usage = whole(json, NOTHING);
    }

    /** Adds a copy of a manifest. */
    void holdManifest(String digest, byte[] content) {
        manifests.put(digest, content);
    }

    private void manifest(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        byte[] content = manifests.get(path.substring(path.lastIndexOf('/') + 1));
        if (content == null) {
            answer(exchange, 404, "{\"code\":\"NOT_FOUND\"}");
            return;
        }
        exchange.sendResponseHeaders(200, content.length);
        exchange.getResponseBody().write(content);
        exchange.close();
    }

    /** Sets the answer to requests for verification. */
    void setVerified(String json) {
        verified = json;
    }

    /** Sets the pins in etcd. */
    void setPins(String json) {
        pins = json;
    }

    /** Makes the chunk stores empty. */
    void resetUsage() {
        usage = NOTHING;
    }

    /** Sets whether etcd answers. */
    void setEtcdReachable(boolean value) {
        etcdReachable = value;
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /**
     * Sets which other pins are renewed. Their form is namespace, name, version and id, joined by
     * slashes.
     */
    void setHeld(Predicate<String> holds) {
        held = holds;
    }

    private void renew(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (path.contains("/alive")
                || held.test(path.replaceFirst("^/v1/pins/", "").replaceFirst("/renew$", ""))) {
            answer(exchange, 200, "{\"remaining_seconds\":300,\"holder\":\"me\",\"reason\":\"\"}");
        } else if (path.contains("/between")) {
            answer(exchange, 404, "<html>no route</html>");
        } else if (path.contains("/dies")) {
            // Stops in the middle of the answer, and keeps the connection open.
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write('{');
            exchange.getResponseBody().flush();
        } else {
            answer(exchange, 404, "{\"code\":\"NOT_FOUND\"}");
        }
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
