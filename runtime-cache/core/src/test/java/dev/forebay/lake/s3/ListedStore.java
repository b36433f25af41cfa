package dev.forebay.lake.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.lake.Listing;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A store over HTTP that lists what a test has it list, as no real server would. */
final class ListedStore implements AutoCloseable {

    private final HttpServer server;
    private final boolean versioned;
    private final List<Map<String, String>> asked = new CopyOnWriteArrayList<>();
    private volatile Function<Map<String, String>, String> listing = query -> page(false);
    private volatile boolean hasObjects = true;
    private volatile boolean knowsRestores = true;
    private volatile String archiveStatus = "";
    private final AtomicInteger pages = new AtomicInteger();
    private final List<String> heads = new CopyOnWriteArrayList<>();

    /** The header that asks for more of each object than a listing has. */
    static final String ATTRIBUTES = "x-amz-optional-object-attributes";

    ListedStore(boolean versioned) throws IOException {
        this.versioned = versioned;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    /** What is listed, of the parameters of a request, as XML within the element of the answer. */
    void lists(Function<Map<String, String>, String> answer) {
        listing = answer;
    }

    /** Answers one page after the other, and the last one for ever. */
    void listsInTurn(String... pages) {
        List<Map<String, String>> before = List.copyOf(asked);
        lists(_ -> pages[Math.min(pages.length, asked.size() - before.size()) - 1]);
    }

    /** As at the beginning. */
    void reset() {
        asked.clear();
        heads.clear();
        pages.set(0);
        hasObjects = true;
        knowsRestores = true;
        archiveStatus = "";
        listing = query -> page(false);
    }

    /** Has no object under any name, whatever it lists. */
    void losesObjects() {
        hasObjects = false;
    }

    /** So many requests for an object are answered by a proxy that has no way to the store. */
    void isBehindAProxy(int requests) {
        pages.set(requests);
    }

    /** Refuses requests that ask for restores, as stores do that do not know them. */
    void knowsNoRestores() {
        knowsRestores = false;
    }

    /** Says of each object that is asked for that it is in this tier. */
    void archives(String tier) {
        archiveStatus = tier;
    }

    /** The paths of the objects that were asked for. */
    List<String> heads() {
        return List.copyOf(heads);
    }

    /** The parameters of each request for a page, and {@link #ATTRIBUTES} if it has that header. */
    List<Map<String, String>> asked() {
        return List.copyOf(asked);
    }

    S3Lake open() {
        URI endpoint = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        return S3Lake.open(
                S3LakeConfig.of(endpoint, "us-east-1", true), new S3Credentials("key", "secret"));
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Map<String, String> query = query(exchange.getRequestURI());
            if (exchange.getRequestMethod().equals("HEAD")) {
                heads.add(exchange.getRequestURI().getPath());
                if (pages.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    exchange.getResponseHeaders().add("Content-Type", "text/html");
                    exchange.sendResponseHeaders(404, -1);
                    return;
                }
                if (!archiveStatus.isEmpty()) {
                    exchange.getResponseHeaders().add("x-amz-archive-status", archiveStatus);
                }
                exchange.sendResponseHeaders(hasObjects ? 200 : 404, -1);
                return;
            }
            String body;
            if (query.containsKey("versioning")) {
                body =
                        "<VersioningConfiguration>%s</VersioningConfiguration>"
                                .formatted(versioned ? "<Status>Enabled</Status>" : "");
            } else {
                String attributes = exchange.getRequestHeaders().getFirst(ATTRIBUTES);
                if (attributes != null) {
                    query.put(ATTRIBUTES, attributes);
                }
                asked.add(query);
                if (attributes != null && !knowsRestores) {
                    exchange.sendResponseHeaders(501, -1);
                    return;
                }
                body = "<Result>%s</Result>".formatted(listing.apply(query));
            }
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private static Map<String, String> query(URI uri) {
        Map<String, String> query = new HashMap<>();
        if (uri.getRawQuery() != null) {
            Arrays.stream(uri.getRawQuery().split("&", -1))
                    .map(each -> each.split("=", 2))
                    .forEach(
                            pair ->
                                    query.put(
                                            pair[0],
                                            pair.length == 1
                                                    ? ""
                                                    : URLDecoder.decode(
                                                            pair[1], StandardCharsets.UTF_8)));
        }
        return query;
    }

    /** A page of objects with these keys. */
    static String page(boolean truncated, String... keys) {
        StringBuilder page = new StringBuilder("<IsTruncated>" + truncated + "</IsTruncated>");
        for (String key : keys) {
            page.append(object(key, "<Size>1</Size><ETag>\"e\"</ETag>"));
        }
        return page.toString();
    }

    /** An object with this beside its key. */
    static String object(String key, String rest) {
        return "<Contents><Key>%s</Key>%s</Contents>".formatted(key, rest);
    }

    /** A version of an object. */
    static String version(String key, String id, boolean latest) {
        return "<Version><Key>%s</Key><VersionId>%s</VersionId><IsLatest>%s</IsLatest><Size>1</Size><ETag>\"e\"</ETag></Version>"
                .formatted(key, id, latest);
    }

    /** What stands where an object was. */
    static String deleteMarker(String key, boolean latest) {
        return "<DeleteMarker><Key>%s</Key><VersionId>d</VersionId><IsLatest>%s</IsLatest></DeleteMarker>"
                .formatted(key, latest);
    }

    static Listing.Page first(S3Lake lake) {
        return lake.listing("bucket", "p/").page(null, Listing.PAGE_OBJECTS);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
