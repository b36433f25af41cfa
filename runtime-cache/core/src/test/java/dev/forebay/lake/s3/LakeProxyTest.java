package dev.forebay.lake.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.forebay.lake.LakeEvents;
import dev.forebay.lake.LakeObject;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.sts.StsClient;

class LakeProxyTest {

    private static final LakeObject OBJECT = new LakeObject("a", 1, Instant.EPOCH, "e", null);

    private static final String PROXY = "http://proxy:3128";
    private static final List<String> PROPERTIES =
            List.of("http.proxyHost", "http.proxyPort", "http.nonProxyHosts");

    @BeforeEach
    void nameProxyInProperties() {
        // No server listens on this port, and no address is excepted.
        System.setProperty("http.proxyHost", "127.0.0.1");
        System.setProperty("http.proxyPort", "9");
        System.setProperty("http.nonProxyHosts", "nothing");
        System.setProperty("aws.accessKeyId", "key");
        System.setProperty("aws.secretAccessKey", "secret");
    }

    @AfterEach
    void clear() {
        PROPERTIES.forEach(System::clearProperty);
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    private static @Nullable String proxy(String target, String... variables) {
        Map<String, String> environment = new HashMap<>();
        for (int i = 0; i < variables.length; i += 2) {
            environment.put(variables[i], variables[i + 1]);
        }
        URI address = LakeProxy.to(URI.create(target), environment).address();
        return address == null ? null : address.toString();
    }

    @Test
    void theVariableOfTheSchemeTakesPrecedenceOverAllProxy() {
        assertThat(proxy("http://lake")).isNull();
        assertThat(proxy("http://lake", "HTTP_PROXY", PROXY)).isEqualTo(PROXY);
        assertThat(proxy("https://lake", "HTTP_PROXY", PROXY)).isNull();
        assertThat(proxy("https://lake", "HTTP_PROXY", "http://a", "HTTPS_PROXY", PROXY))
                .isEqualTo(PROXY);
        assertThat(proxy("https://lake", "ALL_PROXY", PROXY, "HTTPS_PROXY", " ")).isEqualTo(PROXY);
        assertThat(proxy("http://lake", "HTTP_PROXY", "http://a", "http_proxy", PROXY))
                .isEqualTo(PROXY);
        assertThat(proxy("http://lake", "HTTP_PROXY", "proxy:3128")).isEqualTo(PROXY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST",
                "localhost.",
                "a.localhost",
                "ip6-localhost",
                "127.0.0.1",
                "127.9.8.7",
                "0.0.0.0",
                "[::1]",
                "[::ffff:127.0.0.1]",
                "[::]"
            })
    void localAddressesNeverUseAProxy(String host) {
        for (String scheme : List.of("http", "https")) {
            String target = "%s://%s:7700".formatted(scheme, host);
            assertThat(proxy(target, "ALL_PROXY", PROXY)).isNull();
            assertThat(proxy(target, "ALL_PROXY", "nonsense://")).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "localhost,127.0.0.1,[::1]            | http://lake              | false",
                "lake                                 | http://lake              | true",
                "LAKE                                 | http://Lake.             | true",
                "example.com                          | http://b.s3.example.com  | true",
                ".example.com                         | http://example.com       | true",
                "*.example.com                        | http://s3.example.com    | true",
                "example.com                          | http://notexample.com    | false",
                "a b, lake                            | http://lake              | true",
                "lake:9000                            | http://lake:9000         | true",
                "lake:9000                            | http://lake              | false",
                "lake:443                             | https://lake             | true",
                "http://lake                          | http://lake              | true",
                "10.0.0.0/8                           | http://10.1.2.3:9000     | true",
                "10.1.2.3/8                           | http://10.9.9.9          | true",
                "10.0.0.0/8                           | http://11.0.0.1          | false",
                "10.0.0.0/33                          | http://10.0.0.1          | false",
                "0.0.0.0/0                            | http://10.0.0.1          | true",
                "192.168.1.7                          | http://192.168.1.7       | true",
                "192.168.1.7                          | http://192.168.1.8       | false",
                "fd07:b51a:cc66:f0::/64               | http://[fd07:b51a:cc66:f0::7] | true",
                "fd07:b51a:cc66:f0::/64               | http://[fd07:b51a:cc66:f1::7] | false",
                "fd07:b51a:cc66:f0::/64               | http://10.0.0.1          | false",
                "[fd07::7]                            | http://[fd07::7]         | true",
                "[fd07::7]:9000                       | http://[fd07::7]:9000    | true",
                "[fd07::7]:9000                       | http://[fd07::7]:9001    | false",
                "*                                    | http://[fd07::7]         | true",
                "[,]:,:,/,[]:1,lake:,*lake*,(,10./8   | http://g                 | false",
                "[,]:,:,/,[]:1,10.0.0.0/x,(           | http://10.0.0.1          | false"
            })
    void noProxyExcludesMatchingHosts(String exceptions, String target, boolean excepted) {
        String proxy = proxy(target, "ALL_PROXY", PROXY, "NO_PROXY", exceptions);
        assertThat(proxy == null).isEqualTo(excepted);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "socks5://10.0.0.1:1080",
                "ftp://proxy",
                "http://",
                "http://proxy:port",
                "http://proxy:99999",
                "::",
                "http://a b"
            })
    void anUnusableProxyIsRefusedWithTheNameOfItsVariable(String value) {
        assertThatThrownBy(() -> proxy("https://lake", "https_proxy", value))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessage(
                        "https_proxy is %s: it must be http://host:port or https://host:port"
                                .formatted(value));
    }

    @Test
    void errorMessagesHideTheProxyPassword() {
        assertThatThrownBy(() -> proxy("http://lake", "HTTP_PROXY", "http://me:hid/d@n@proxy:port"))
                .hasMessageContaining("HTTP_PROXY is http://***@proxy:port")
                .message()
                .doesNotContain("hid");
    }

    @ParameterizedTest
    @CsvSource({"'', ''", "me:s%40+t@, me:s@+t"})
    void allRequestsOfALakeUseTheProxy(String user, String login) throws IOException {
        String authorization =
                Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
        try (Proxy proxy = new Proxy()) {
            Map<String, String> environment =
                    Map.of("HTTP_PROXY", "http://%s127.0.0.1:%d".formatted(user, proxy.port()));
            S3LakeConfig config = config(URI.create("http://lake.example:9000"));
            try (S3Lake lake = S3Lake.open(config, LakeEvents.NONE, environment)) {
                assertThatThrownBy(() -> lake.listing("bucket", "").page(null, 10))
                        .isInstanceOf(ForebayException.class);
                proxy.assertAsked("lake.example:9000", authorization);
                proxy.forget();
                assertThatThrownBy(() -> lake.read("bucket", OBJECT, 0, ByteBuffer.allocate(1)))
                        .isInstanceOf(ForebayException.class);
                proxy.assertAsked("lake.example:9000", authorization);
            }
            proxy.forget();
            S3LakeConfig sts = config.withStsEndpoint(URI.create("http://sts.example"));
            try (StsClient tokens = LakeCredentials.tokenService(sts, environment)) {
                assertThatThrownBy(() -> tokens.assumeRoleWithWebIdentity(r -> r.roleArn("a")));
                proxy.assertAsked("sts.example", authorization);
            }
        }
    }

    /** Neither the environment nor Java's properties add a proxy. */
    @Test
    void requestsToALocalLakeBypassTheProxy(@TempDir Path directory) throws IOException {
        Map<String, String> environment =
                Map.of("HTTP_PROXY", "http://127.0.0.1:9", "NO_PROXY", "[::1]");
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        List<String> asked = new CopyOnWriteArrayList<>();
        server.createContext(
                "/",
                exchange -> {
                    asked.add(exchange.getRequestURI().getPath());
                    exchange.sendResponseHeaders(403, -1);
                    exchange.close();
                });
        server.start();
        try {
            URI here = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            Path file = Files.writeString(directory.resolve("a"), "a");
            try (S3Lake lake = S3Lake.open(config(here), LakeEvents.NONE, environment);
                    StsClient tokens =
                            LakeCredentials.tokenService(
                                    config(here).withStsEndpoint(here), environment)) {
                assertThatThrownBy(() -> lake.listing("listed", "").page(null, 10))
                        .hasMessageContaining("403");
                assertThatThrownBy(() -> lake.putIfAbsent("put", "a", file))
                        .hasMessageContaining("403");
                assertThatThrownBy(() -> lake.read("read", OBJECT, 0, ByteBuffer.allocate(1)))
                        .hasMessageContaining("403");
                assertThatThrownBy(() -> tokens.assumeRoleWithWebIdentity(r -> r.roleArn("a")))
                        .hasMessageContaining("403");
            }
        } finally {
            server.stop(0);
        }
        assertThat(asked).contains("/listed", "/put/a", "/read/a", "/");
    }

    private static S3LakeConfig config(URI endpoint) {
        return new S3LakeConfig(
                endpoint,
                "us-east-1",
                true,
                null,
                BucketAccess.USUAL,
                4,
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ofSeconds(60),
                1,
                1);
    }

    /** Records the requests that it gets, and closes the connection. */
    private static final class Proxy implements AutoCloseable {

        private final ServerSocket server =
                new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        private final List<String> seen = new CopyOnWriteArrayList<>();

        Proxy() throws IOException {
            Thread.ofVirtual().start(this::serve);
        }

        private void serve() {
            while (!server.isClosed()) {
                try {
                    Socket client = server.accept();
                    Thread.ofVirtual().start(() -> hear(client));
                } catch (IOException e) {
                    // Accept the next connection, or end.
                }
            }
        }

        private void hear(Socket client) {
            try (client;
                    BufferedReader in =
                            new BufferedReader(
                                    new InputStreamReader(
                                            client.getInputStream(),
                                            StandardCharsets.ISO_8859_1))) {
                StringBuilder head = new StringBuilder();
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.isEmpty()) {
                        seen.add(head.toString());
                        return;
                    }
                    head.append(line).append('\n');
                }
            } catch (IOException e) {
                // The client closed the connection first.
            }
        }

        int port() {
            return server.getLocalPort();
        }

        /**
         * Asserts that every request was for the host and had this login, or none if it is empty.
         */
        void assertAsked(String host, String login) {
            assertThat(seen)
                    .isNotEmpty()
                    .allSatisfy(
                            head -> {
                                assertThat(head.lines().findFirst().orElseThrow()).contains(host);
                                String lower = head.toLowerCase(Locale.ROOT);
                                if (login.isEmpty()) {
                                    assertThat(lower).doesNotContain("proxy-authorization");
                                } else {
                                    assertThat(lower).contains("proxy-authorization: basic");
                                    assertThat(head).contains("asic " + login);
                                }
                            });
        }

        void forget() {
            seen.clear();
        }

        @Override
        public void close() {
            try {
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
