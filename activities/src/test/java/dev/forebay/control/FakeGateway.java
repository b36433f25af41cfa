package dev.forebay.control;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** An agent's gateway that renews any pin whose id begins with {@code alive}. */
final class FakeGateway implements AutoCloseable {

    private final HttpServer server;
    private static final String NOTHING =
            """
            {"capacity_bytes":1000000,"used_bytes":0,"orphan_bytes":0,"unknown":[],"versions":[],"shares":[]}""";

    private volatile boolean etcdReachable = true;
    private volatile String usage = NOTHING;
    private volatile String pins = "{\"pins\":[]}";

    FakeGateway() {
        try {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/v1/pins/", FakeGateway::renew);
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
        // A longer path goes before a shorter one.
        server.createContext("/v1/pins", exchange -> answer(exchange, 200, pins));
        server.createContext("/v1/usage", exchange -> answer(exchange, 200, usage));
        server.start();
    }

    /** What it says of its chunk stores from now on. */
    void setUsage(String json) {
        usage = json;
    }

    /** What it says of the pins in its etcd from now on. */
    void setPins(String json) {
        pins = json;
    }

    /** Says from now on that its chunk stores are empty. */
    void resetUsage() {
        usage = NOTHING;
    }

    /** What it says of its etcd from now on. */
    void setEtcdReachable(boolean value) {
        etcdReachable = value;
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    private static void renew(HttpExchange exchange) throws IOException {
        if (exchange.getRequestURI().getPath().contains("/alive")) {
            answer(exchange, 200, "{\"remaining_seconds\":300,\"holder\":\"me\",\"reason\":\"\"}");
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
