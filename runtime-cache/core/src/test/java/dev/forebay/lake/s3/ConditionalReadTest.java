package dev.forebay.lake.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.lake.LakeObject;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A read requests the object that the manifest names, and rejects an answer with another object.
 */
class ConditionalReadTest {
    private static final int OBJECT_BYTES = 100;
    private static final int READ_BYTES = 10;

    private final List<String> conditions = new CopyOnWriteArrayList<>();
    private LakeObject object = object("meant");
    private String etag = "\"meant\"";
    private String modified = "Sun, 29 Nov 2026 12:00:05 GMT";
    private String versionId = "v1";
    private int sentBytes = READ_BYTES;
    private int refusal;
    private String page = "";
    private HttpServer server;
    private S3Lake lake;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        lake =
                S3Lake.open(
                        new S3LakeConfig(
                                URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
                                "us-east-1",
                                true,
                                null,
                                BucketAccess.USUAL,
                                16,
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(30),
                                1 << 20,
                                1),
                        new S3Credentials("key", "secret"));
    }

    @AfterEach
    void stop() {
        lake.close();
        server.stop(0);
    }

    /** Ignores the condition, as some servers do. */
    private void answer(HttpExchange exchange) throws IOException {
        conditions.add(
                exchange.getRequestHeaders().entrySet().stream()
                        .filter(header -> header.getKey().startsWith("If-"))
                        .map(header -> header.getKey() + ": " + header.getValue().getFirst())
                        .collect(Collectors.joining()));
        if (refusal > 0) {
            byte[] body = page.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(refusal, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
            return;
        }
        exchange.getResponseHeaders().set("Last-Modified", modified);
        if (!versionId.isEmpty()) {
            exchange.getResponseHeaders().set("x-amz-version-id", versionId);
        }
        exchange.getResponseHeaders().set("ETag", etag);
        exchange.getResponseHeaders().set("Content-Range", "bytes 5-14/" + OBJECT_BYTES);
        // In chunks, so that the client has no Content-Length to compare.
        exchange.sendResponseHeaders(206, 0);
        exchange.getResponseBody().write(new byte[sentBytes]);
        exchange.close();
    }

    private static LakeObject object(String etag) {
        return new LakeObject("key", OBJECT_BYTES, Instant.EPOCH, etag, null);
    }

    private ByteBuffer read() {
        ByteBuffer target = ByteBuffer.allocate(READ_BYTES);
        lake.read("bucket", object, 5, target);
        return target;
    }

    @Test
    void aReadSendsIfMatchWithTheETagOfTheManifest() {
        assertThat(read().hasRemaining()).isFalse();

        assertThat(conditions).containsExactly("If-match: \"meant\"");
    }

    @Test
    void aReadFailsIfTheAnswerEndsEarly() {
        sentBytes = READ_BYTES - 1;

        assertThatThrownBy(this::read)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_UNAVAILABLE));
    }

    @Test
    void aReadFailsIfTheServerIgnoresTheCondition() {
        etag = "\"another\"";

        assertThatThrownBy(this::read)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_OBJECT_CHANGED));
    }

    /** A proxy may drop the version from the request, and then another version comes. */
    @Test
    void aReadWithoutAnETagFailsIfTheAnswerNamesNoVersion() {
        object = new LakeObject("key", OBJECT_BYTES, Instant.EPOCH, "", "v1");
        assertThat(read().hasRemaining()).isFalse();
        versionId = "";

        assertThatThrownBy(this::read)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_UNSUPPORTED));
    }

    @Test
    void aWeakETagFailsAsUnsupportedNotAsChanged() {
        etag = "W/\"meant\"";

        assertThatThrownBy(this::read)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_UNSUPPORTED))
                .hasMessageContaining("a weak ETag, W/meant: the store, or a proxy before it");
    }

    /** An ingress without its back end answers 404, for example. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    404 | default backend - 404                     | LAKE_UNAVAILABLE
                    404 | <html><body>404 Not Found</body></html>    | LAKE_UNAVAILABLE
                    403 | <html><body>Blocked by policy</body></html> | LAKE_DENIED
                    400 | <html><body>Bad Request</body></html>      | LAKE_UNSUPPORTED
                    """)
    void anErrorPageOfAProxyIsNotTreatedAsAnAnswerOfTheStore(
            int status, String text, ErrorCode code) {
        refusal = status;
        page = text;

        assertThatThrownBy(this::read)
                .isInstanceOfSatisfying(
                        ForebayException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(
                        "answers %d with a page that is not from S3: check proxies", status);
    }

    @ParameterizedTest
    @CsvSource({"NoSuchKey, LAKE_OBJECT_CHANGED", "NoSuchBucket, LAKE_EMPTY"})
    void aMissingBucketIsNotReportedAsAChangedObject(String said, ErrorCode code) {
        refusal = 404;
        page = "<Error><Code>%s</Code><Message>it is not there</Message></Error>".formatted(said);

        assertThatThrownBy(this::read)
                .isInstanceOfSatisfying(
                        ForebayException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(said);
    }

    /** A proxy may drop the query of a request. */
    @Test
    void aReadFailsIfTheServerSendsAnotherVersion() {
        object = new LakeObject("key", OBJECT_BYTES, Instant.EPOCH, "", "v1");
        assertThat(read().hasRemaining()).isFalse();

        versionId = "v2";
        assertThatThrownBy(this::read)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_UNSUPPORTED))
                .hasMessageContaining(
                        "the request was for version v1, but the answer has " + "version v2");
    }

    /** Some stores have no ETags, such as a gateway to existing files. */
    @Test
    void aReadWithoutAnETagFailsIfTheObjectWasModifiedLater() {
        object = object("modified 2026-11-29T12:00:05Z");
        assertThat(read().hasRemaining()).isFalse();
        assertThat(conditions)
                .containsExactly("If-unmodified-since: Sun, 29 Nov 2026 12:00:06 GMT");

        modified = "Sun, 29 Nov 2026 12:00:06 GMT";
        assertThatThrownBy(this::read)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_OBJECT_CHANGED));
    }
}
