package dev.forebay.fuse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.server.ChildProcess;
import dev.forebay.model.ForebayException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLConnection;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PodServerTest {

    private static PodServer server(String address, int port) throws Exception {
        return new PodServer(
                new InetSocketAddress(InetAddress.getByName(address), port),
                () -> "figures",
                () -> true,
                Optional::empty);
    }

    private static String get(URI uri) throws Exception {
        try (InputStream body = uri.toURL().openStream()) {
            return new String(body.readAllBytes(), UTF_8);
        }
    }

    @Test
    void theServerListensOnTheGivenAddress() throws Exception {
        try (PodServer all = server("0.0.0.0", 0);
                PodServer second = server("127.0.0.2", 0)) {
            int port = all.uri().getPort();
            assertThat(all.uri()).hasHost("127.0.0.1");
            assertThat(all.isOnAllAddresses()).isTrue();
            assertThat(second.isOnAllAddresses()).isFalse();
            assertThat(get(all.uri().resolve("/metrics"))).isEqualTo("figures");
            assertThat(get(URI.create("http://127.0.0.2:" + port + "/metrics")))
                    .isEqualTo("figures");
            assertThat(second.uri()).hasHost("127.0.0.2");
            assertThat(get(second.uri().resolve("/health/ready"))).contains("UP");
            URI elsewhere = URI.create("http://127.0.0.1:" + second.uri().getPort() + "/metrics");
            assertThatThrownBy(() -> get(elsewhere)).isInstanceOf(ConnectException.class);
        }
    }

    /** Runs in its own process, because the JDK's server reads its settings once. */
    @Test
    void incompleteRequestsDoNotBlockOthers() throws Exception {
        Process process =
                ChildProcess.start(
                        new ProcessBuilder(
                                        ProcessHandle.current().info().command().orElseThrow(),
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        Asked.class.getName())
                                .redirectError(ProcessBuilder.Redirect.INHERIT));
        assertThat(process.getInputStream()).hasContent("figures");
    }

    /** A server that gets more incomplete requests than it has threads. */
    static final class Asked {

        private Asked() {}

        public static void main(String[] arguments) throws Exception {
            try (PodServer server = server("127.0.0.1", 0);
                    Socket _ = half(server);
                    Socket _ = half(server);
                    Socket _ = half(server)) {
                URLConnection whole = server.uri().resolve("/metrics").toURL().openConnection();
                whole.setReadTimeout(30_000);
                try (InputStream body = whole.getInputStream()) {
                    System.out.print(new String(body.readAllBytes(), UTF_8));
                }
            }
        }

        private static Socket half(PodServer server) throws IOException {
            Socket half = new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort());
            half.getOutputStream().write('G');
            return half;
        }
    }

    @Test
    void theMessageAboutAnAddressInUseNamesItsOptions() throws Exception {
        try (PodServer first = server("127.0.0.1", 0)) {
            int port = first.uri().getPort();
            assertThatThrownBy(() -> server("127.0.0.1", port))
                    .isInstanceOf(ForebayException.class)
                    .hasMessageContaining("--metrics-address, --metrics-port")
                    .hasMessageContaining("127.0.0.1:" + port);
        }
    }

    @Test
    void theHealthServerReportsLivenessAndReadiness() throws Exception {
        AtomicBoolean live = new AtomicBoolean(true);
        AtomicBoolean ready = new AtomicBoolean();
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (PodServer server = PodServer.ofHealth(any, live::get, ready::get)) {
            assertThat(get(server.uri().resolve("/health/live"))).contains("UP");
            assertThatThrownBy(() -> get(server.uri().resolve("/health/ready")))
                    .hasMessageContaining("503");

            ready.set(true);
            assertThat(get(server.uri().resolve("/health/ready"))).contains("UP");

            live.set(false);
            assertThatThrownBy(() -> get(server.uri().resolve("/health/live")))
                    .hasMessageContaining("503");
            assertThatThrownBy(() -> get(server.uri().resolve("/metrics")))
                    .isInstanceOf(FileNotFoundException.class);
        }
    }

    @Test
    void theLivenessProbeReturnsAWarningAsARedirectForTheKubelet() throws Exception {
        AtomicReference<@Nullable String> warning = new AtomicReference<>();
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (PodServer server =
                new PodServer(
                        any,
                        () -> "figures",
                        () -> true,
                        () -> Optional.ofNullable(warning.get()))) {
            assertThat(probed(server).statusCode()).isEqualTo(200);

            warning.set("it is slow");

            HttpResponse<String> warned = probed(server);
            assertThat(warned.statusCode()).isBetween(300, 399);
            assertThat(URI.create(warned.headers().firstValue("Location").orElseThrow()))
                    .as("a kubelet follows redirects to the same host")
                    .extracting(URI::getHost)
                    .isNotEqualTo(server.uri().getHost());
            assertThat(warned.body()).isEqualTo("it is slow");
            assertThat(get(server.uri().resolve("/health/ready"))).contains("UP");
        }
    }

    private static HttpResponse<String> probed(PodServer server) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(server.uri().resolve("/health/live")).build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }
}
