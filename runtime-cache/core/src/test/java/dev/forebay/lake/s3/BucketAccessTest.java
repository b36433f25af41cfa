package dev.forebay.lake.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.lake.LakeEvents;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** "Buckets of every kind", with a store that records its requests. */
@SuppressWarnings("NullAway.Init") // started before each
class BucketAccessTest {

    private static final String PAYER = "x-amz-request-payer";
    private static final LakeObject OBJECT = new LakeObject("p/a b", 1, Instant.EPOCH, "e", null);

    private HttpServer server;
    private final List<Asked> asked = new CopyOnWriteArrayList<>();

    private record Asked(String method, String path, Headers headers) {
        @Nullable String header(String name) {
            return headers.getFirst(name);
        }
    }

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            asked.add(
                    new Asked(
                            exchange.getRequestMethod(),
                            exchange.getRequestURI().getPath(),
                            exchange.getRequestHeaders()));
            boolean isList =
                    String.valueOf(exchange.getRequestURI().getQuery()).contains("list-type");
            byte[] body =
                    (isList ? "<R>%s</R>".formatted(ListedStore.page(false, OBJECT.key())) : "x")
                            .getBytes(StandardCharsets.UTF_8);
            if (String.valueOf(exchange.getRequestURI().getQuery()).contains("versioning")) {
                body = "<VersioningConfiguration/>".getBytes(StandardCharsets.UTF_8);
            }
            exchange.getResponseHeaders().add("ETag", "\"e\"");
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.getResponseHeaders().add("Content-Length", "1");
                exchange.sendResponseHeaders(200, -1);
                return;
            }
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private S3LakeConfig config(Set<String> anonymous, Set<String> requesterPays) {
        return S3LakeConfig.of(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
                        "us-east-1",
                        true)
                .withBuckets(new BucketAccess(anonymous, requesterPays));
    }

    private S3Lake lake(Set<String> anonymous, Set<String> requesterPays) {
        return S3Lake.open(config(anonymous, requesterPays), new S3Credentials("key", "secret"));
    }

    /** Sends every kind of request that Forebay sends to a bucket that it only reads. */
    private List<Asked> use(S3Lake lake, String bucket, Path directory) {
        asked.clear();
        Listing listing = lake.listing(bucket, "p/");
        listing.check(listing.page(null, 10).objects().getFirst());
        lake.read(bucket, OBJECT, 0, ByteBuffer.allocate(1));
        lake.download(bucket, OBJECT.key(), directory.resolve(bucket));
        assertThat(asked).extracting(Asked::method).contains("GET", "HEAD").hasSizeGreaterThan(5);
        return List.copyOf(asked);
    }

    /** The entry for public buckets in docs/operations.md. */
    @Test
    void requestsToAnAnonymousBucketHaveNoCredentials(@TempDir Path directory) {
        try (S3Lake lake = lake(Set.of("open"), Set.of())) {
            assertThat(use(lake, "open", directory))
                    .allSatisfy(
                            request -> {
                                assertThat(request.header("Authorization")).isNull();
                                assertThat(request.header("x-amz-security-token")).isNull();
                            });
            assertThat(use(lake, "closed", directory))
                    .allSatisfy(
                            request ->
                                    assertThat(request.header("Authorization"))
                                            .contains("Credential=key/"));
        }
    }

    /** The client does not even look for credentials. */
    @Test
    void anAnonymousBucketWorksWithoutAnyCredentials() {
        S3LakeConfig config = config(Set.of("open"), Set.of());
        try (S3Lake lake = S3Lake.open(config, LakeEvents.NONE, Map.of())) {
            assertThat(lake.listing("open", "p/").page(null, 10).objects()).hasSize(1);
        }
    }

    @Test
    void requestsToARequesterPaysBucketHaveThePayerHeader(@TempDir Path directory) {
        try (S3Lake lake = lake(Set.of(), Set.of("paid"))) {
            assertThat(use(lake, "paid", directory))
                    .allSatisfy(
                            request -> {
                                assertThat(request.header(PAYER)).isEqualTo("requester");
                                assertThat(request.header("Authorization")).contains(PAYER);
                            });
            assertThat(use(lake, "free", directory))
                    .allSatisfy(request -> assertThat(request.header(PAYER)).isNull());
        }
    }

    /** Uses a proxy, because these host names cannot be resolved. */
    @ParameterizedTest
    @CsvSource({"false, data.lake.example, /", "true, lake.example, /data"})
    void theHostNameContainsTheBucketUnlessPathStyleIsSet(
            boolean pathStyle, String host, String path) throws IOException {
        System.setProperty("aws.accessKeyId", "key");
        System.setProperty("aws.secretAccessKey", "secret");
        S3LakeConfig config =
                S3LakeConfig.of(URI.create("http://lake.example"), "us-east-1", pathStyle);
        try (ServerSocket proxy = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
                S3Lake lake = S3Lake.open(config, LakeEvents.NONE, through(proxy))) {
            lake.listing("data", "p/").page(null, 10);
            lake.read("data", OBJECT, 0, ByteBuffer.allocate(1));
        } finally {
            System.clearProperty("aws.accessKeyId");
            System.clearProperty("aws.secretAccessKey");
        }
        assertThat(asked)
                .hasSizeGreaterThan(2)
                .allSatisfy(
                        request -> {
                            assertThat(request.header("Host")).isEqualTo(host);
                            assertThat(request.path()).startsWith(path);
                        });
    }

    /** Starts a proxy that passes everything on to the server, for any host. */
    private Map<String, String> through(ServerSocket proxy) {
        Thread.startVirtualThread(
                () -> {
                    while (!proxy.isClosed()) {
                        try {
                            Socket client = proxy.accept();
                            Thread.startVirtualThread(() -> tunnel(client));
                        } catch (IOException e) {
                            // Accept the next connection, or end.
                        }
                    }
                });
        return Map.of("HTTP_PROXY", "http://127.0.0.1:" + proxy.getLocalPort());
    }

    private void tunnel(Socket client) {
        try (client;
                Socket upstream =
                        new Socket(
                                InetAddress.getLoopbackAddress(), server.getAddress().getPort())) {
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                int next = client.getInputStream().read();
                if (next < 0) {
                    return;
                }
                head.write(next);
            }
            if (head.toString(StandardCharsets.ISO_8859_1).startsWith("CONNECT ")) {
                client.getOutputStream()
                        .write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            } else {
                head.writeTo(upstream.getOutputStream());
            }
            Thread.startVirtualThread(() -> pass(client, upstream));
            pass(upstream, client);
        } catch (IOException e) {
            // The client closed the connection.
        }
    }

    private static void pass(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // The other direction ends, too.
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Open_Data", "s3://open", "a"})
    void anInvalidBucketNameIsRefused(String name) {
        assertInvalid(
                () -> new BucketAccess(Set.of(name), Set.of()),
                "forebay.lake.anonymous-buckets is " + name);
        assertInvalid(
                () -> new BucketAccess(Set.of(), Set.of(name)),
                "forebay.lake.requester-pays-buckets is " + name);
    }

    @Test
    void conflictingBucketSettingsAreRefused() {
        assertInvalid(
                () ->
                        BucketAccess.of(
                                Optional.of(List.of("one", "two")), Optional.of(List.of("two"))),
                "forebay.lake.requester-pays-buckets is two");
        BucketAccess access = BucketAccess.of(Optional.of(List.of("one")), Optional.empty());
        access.requireWritable("two");
        assertInvalid(() -> access.requireWritable("one"), "forebay.manifest-bucket");
    }

    private static void assertInvalid(Runnable call, String message) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(message);
    }
}
