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

/**
 * A store over HTTP whose listings a test defines, including listings that no real server returns.
 */
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

    /** The header that requests additional attributes of each listed object. */
    static final String ATTRIBUTES = "x-amz-optional-object-attributes";

    ListedStore(boolean versioned) throws IOException {
        this.versioned = versioned;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    /**
     * Sets the function from the parameters of a request to the XML inside the answer's element.
     */
    void lists(Function<Map<String, String>, String> answer) {
        listing = answer;
    }

    /** Returns one page after the other, and then always the last one. */
    void listsInTurn(String... pages) {
        List<Map<String, String>> before = List.copyOf(asked);
        lists(_ -> pages[Math.min(pages.length, asked.size() - before.size()) - 1]);
    }

    /** Restores the initial state. */
    void reset() {
        asked.clear();
        heads.clear();
        pages.set(0);
        hasObjects = true;
        knowsRestores = true;
        archiveStatus = "";
        listing = query -> page(false);
    }

    /** Returns 404 for every object, although it is listed. */
    void losesObjects() {
        hasObjects = false;
    }

    /** Answers so many requests for an object like a proxy that has no route to the store. */
    void isBehindAProxy(int requests) {
        pages.set(requests);
    }

    /** Refuses requests for the restore status, as some stores do. */
    void knowsNoRestores() {
        knowsRestores = false;
    }

    /** Reports this archive tier for each object that is requested. */
    void archives(String tier) {
        archiveStatus = tier;
    }

    /** Returns the paths of the objects that were requested. */
    List<String> heads() {
        return List.copyOf(heads);
    }

    /**
     * Returns the parameters of each request for a page, and {@link #ATTRIBUTES} if it has that
     * header.
     */
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

    /** Returns a page of objects with these keys. */
    static String page(boolean truncated, String... keys) {
        StringBuilder page = new StringBuilder("<IsTruncated>" + truncated + "</IsTruncated>");
        for (String key : keys) {
            page.append(object(key, "<Size>1</Size><ETag>\"e\"</ETag>"));
        }
        return page.toString();
    }

    /** Returns an object with its key and other elements. */
    static String object(String key, String rest) {
        return "<Contents><Key>%s</Key>%s</Contents>".formatted(key, rest);
    }

    /** Returns a version of an object. */
    static String version(String key, String id, boolean latest) {
        return "<Version><Key>%s</Key><VersionId>%s</VersionId><IsLatest>%s</IsLatest><Size>1</Size><ETag>\"e\"</ETag></Version>"
                .formatted(key, id, latest);
    }

    /** Returns a delete marker. */
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
