package dev.forebay.agent.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.jobs.WebhookKey;
import dev.forebay.devstack.fault.Http2Probe;
import dev.forebay.testing.Await;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limit for requests that the webhook reads at once. */
class AdmissionServerTest {

    private static final String NAME = "127.0.0.1";
    private static final int BUSY = 503;
    private static final int MOST = (int) AdmissionServer.MOST_BYTES;

    @TempDir static Path directory;

    private static WebhookKeyGenerator.GeneratedKey made;

    private final Vertx vertx = Vertx.vertx();
    private final AdmissionServer server =
            new AdmissionServer(
                    vertx,
                    NAME,
                    0,
                    2L * MOST,
                    new PodChange(TrainingPod.ROOT, Optional.empty(), Map.of(), Optional.empty()),
                    Duration.ofMinutes(1));
    private String trusted = "";

    /** Created once, because each certificate needs a process. */
    @BeforeAll
    static void make() {
        made = WebhookKeyGenerator.make(directory, NAME, Duration.ofDays(1));
    }

    @BeforeEach
    void listen() {
        trusted = made.certificate();
        server.serve(new WebhookKey(trusted, made.key(), trusted));
    }

    @AfterEach
    void close() {
        server.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private int status() {
        try {
            return ReviewCall.ask(server, trusted).statusCode();
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Begins a request and never sends the rest. */
    private Socket begin(String length) throws IOException, GeneralSecurityException {
        Socket socket =
                ReviewCall.trusting(trusted)
                        .getSocketFactory()
                        .createSocket(NAME, server.port().orElseThrow());
        String head =
                "POST %s HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n".formatted(AdmissionServer.PATH, length);
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        return socket;
    }

    @Test
    void theWebhookRefusesRequestsBeyondItsLimitUntilCapacityIsFree() throws Exception {
        Socket first = begin("Content-Length: " + MOST);
        // This request does not declare its size.
        try (Socket second = begin("Transfer-Encoding: chunked")) {
            Await.until("the limit is reached", () -> status() == BUSY);

            first.close();

            Await.until("the capacity is free again", () -> status() == 200);
            assertThat(second.isConnected()).isTrue();
        }
    }

    @Test
    void theWebhookServesOnlyHttp1() throws Exception {
        URI address = URI.create("https://%s:%d".formatted(NAME, server.port().orElseThrow()));
        Http2Probe probe = Http2Probe.encrypted(address, ReviewCall.trusting(trusted));

        assertThat(probe.alpn()).isNotEqualTo("h2");
        assertThat(probe.preface()).matches("HTTP/.\\.. [45]..");
        assertThat(probe.upgrade("/")).isEqualTo("HTTP/1.1 404");
    }

    @Test
    void theWebhookServesManySmallRequestsBesideALargeOne() throws Exception {
        try (Socket large = begin("Content-Length: " + MOST)) {
            for (int i = 0; i < 20; i++) {
                assertThat(status()).isEqualTo(200);
            }
            assertThat(large.isConnected()).isTrue();
        }
    }

    /**
     * API servers send requests on open connections, and do not repeat a request that is cut off
     * there.
     */
    @Test
    void aStoppingWebhookClosesAConnectionWithItsLastAnswer() throws Exception {
        byte[] review = ReviewCall.review().getBytes(StandardCharsets.UTF_8);
        try (Socket kept = begin("Content-Length: " + review.length)) {
            kept.getOutputStream().write(review);
            String last = answer(kept);
            Thread closing = Thread.ofVirtual().start(server::close);
            while (!last.contains("connection: close")) {
                String head =
                        "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
                                .formatted(AdmissionServer.PATH, review.length);
                kept.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                kept.getOutputStream().write(review);
                last = answer(kept);
            }

            assertThat(last).startsWith("http/1.1 200 ");
            assertThat(kept.getInputStream().read()).as("the end of the connection").isEqualTo(-1);
            assertThat(closing.join(Duration.ofSeconds(30))).isTrue();
        }
    }

    /** Reads a whole answer and returns its head in lower case. */
    private static String answer(Socket socket) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as("more of %s", head).isNotNegative();
            head.append((char) next);
        }
        String small = head.toString().toLowerCase(Locale.ROOT);
        int length = small.indexOf("content-length: ") + "content-length: ".length();
        int bytes = Integer.parseInt(small.substring(length, small.indexOf("\r\n", length)));
        socket.getInputStream().skipNBytes(bytes);
        return small;
    }

    @Test
    void anAnsweredRequestReleasesItsReservationOnce() {
        MemoryBudget memory = new MemoryBudget(3);
        Runnable back = memory.take(2).orElseThrow();
        assertThat(memory.take(2)).isEmpty();

        back.run();
        back.run();

        assertThat(memory.take(3)).isPresent();
        assertThat(memory.take(1)).isEmpty();
    }
}
