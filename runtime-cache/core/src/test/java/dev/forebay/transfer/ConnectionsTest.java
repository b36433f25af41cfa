package dev.forebay.transfer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.placement.WorkerNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how ranges are received. Each test writes its worker's answers byte for byte. */
class ConnectionsTest {

    private static final PackId PACK = PackId.parse("a".repeat(64));
    private static final Digest MANIFEST = new Digest("b".repeat(64));
    private static final byte[] BYTES = new byte[200_000];

    /** Answers a request of a connection. Returns false to close the connection. */
    private interface Script {
        boolean answer(int request, OutputStream out) throws IOException;
    }

    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();
    private final List<Socket> open = new ArrayList<>();
    private final WorkerClient client =
            new WorkerClient(
                    WorkerClientConfig.defaults()
                            .withReadTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(5)));
    private ServerSocket server;

    @BeforeEach
    void start() throws Exception {
        new Random(1).nextBytes(BYTES);
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        server.close();
        synchronized (open) {
            for (Socket each : open) {
                each.close();
            }
        }
    }

    private void serve(Script script) {
        Thread.ofVirtual()
                .start(
                        () -> {
                            while (!server.isClosed()) {
                                try {
                                    Socket socket = server.accept();
                                    connections.incrementAndGet();
                                    synchronized (open) {
                                        open.add(socket);
                                    }
                                    Thread.ofVirtual().start(() -> converse(socket, script));
                                } catch (IOException closed) {
                                    return;
                                }
                            }
                        });
    }

    private void converse(Socket socket, Script script) {
        try (socket) {
            boolean more = true;
            while (more && readHead(socket)) {
                OutputStream out = socket.getOutputStream();
                more = script.answer(requests.getAndIncrement(), out);
                out.flush();
            }
        } catch (IOException theClientWentAway) {
            // Some tests end connections this way.
        }
    }

    private static boolean readHead(Socket socket) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                return false;
            }
            head.write(next);
        }
        return true;
    }

    private static String head(String more) {
        return "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-%d/1000000\r\n%s: %s\r\n%s\r\n"
                .formatted(
                        BYTES.length - 1,
                        WorkerProtocol.CRC_HEADER,
                        BlockChecksums.encode(ByteBuffer.wrap(BYTES)),
                        more);
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(ISO_8859_1));
    }

    private static boolean honest(OutputStream out) throws IOException {
        write(out, head("Content-Length: " + BYTES.length + "\r\n"));
        out.write(BYTES);
        return true;
    }

    private void readsAll() {
        readsAll(ByteBuffer.allocateDirect(BYTES.length));
        readsAll(ByteBuffer.allocate(BYTES.length));
    }

    private void readsAll(ByteBuffer target) {
        assertThat(read(target).bytes()).isEqualTo(BYTES.length);
        byte[] got = new byte[BYTES.length];
        target.flip().get(got);
        assertThat(got).isEqualTo(BYTES);
    }

    private WorkerNode node() {
        return node("http://127.0.0.1:" + server.getLocalPort());
    }

    private static WorkerNode node(String address) {
        return new WorkerNode("w", URI.create(address), 1 << 30);
    }

    private ReadAnswer read(ByteBuffer target) {
        return client.read(node(), MANIFEST, PACK, 0, BYTES.length, target);
    }

    private void isUnavailable() {
        isUnavailable(node());
    }

    private void isUnavailable(WorkerNode node) {
        ByteBuffer target = ByteBuffer.allocate(BYTES.length);
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> client.read(node, MANIFEST, PACK, 0, BYTES.length, target))
                .matches(e -> e.code() == ErrorCode.UNAVAILABLE);
    }

    @Test
    void theClientReusesAConnection() {
        serve((_, out) -> honest(out));
        readsAll();
        readsAll();
        assertThat(connections).hasValue(1);
        assertThat(requests).hasValue(4);
    }

    @Test
    void theClientReplacesAConnectionThatTheWorkerClosed() {
        serve(
                (_, out) -> {
                    honest(out);
                    return false;
                });
        readsAll();
        readsAll();
        assertThat(connections).hasValue(4);
    }

    @Test
    void theClientDoesNotReuseAConnectionMarkedClose() {
        serve(
                (_, out) -> {
                    write(
                            out,
                            head(
                                    "Connection: close\r\nContent-Length: %d\r\n"
                                            .formatted(BYTES.length)));
                    out.write(BYTES);
                    return true;
                });
        readsAll();
        assertThat(connections).hasValue(2);
    }

    @Test
    void theClientDoesNotRetryANewConnectionWithoutAnAnswer() {
        serve((_, _) -> false);
        isUnavailable();
        assertThat(requests).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://no-such-worker.invalid:80",
                "http://no_host_name:80",
                "http://127.0.0.1:70000",
                "http://127.0.0.1:1",
                "http://127.0.0.1:%d",
                "https://127.0.0.1:%d"
            })
    void anUnreachableWorkerLeavesNoOpenSocket(String address) throws Exception {
        Thread.ofVirtual().start(this::hangUpOnEverybody);
        WorkerNode unreachable = node(address.formatted(server.getLocalPort()));
        isUnavailable(unreachable);
        long before = sockets();
        for (int i = 0; i < 50; i++) {
            isUnavailable(unreachable);
        }
        // Other tests in this process may have opened some sockets meanwhile.
        assertThat(sockets()).isLessThan(before + 25);
    }

    private void hangUpOnEverybody() {
        try {
            while (true) {
                server.accept().close();
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private static long sockets() throws IOException {
        long sockets = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : all) {
                try {
                    sockets +=
                            Files.readSymbolicLink(each).toString().startsWith("socket:") ? 1 : 0;
                } catch (NoSuchFileException closedMeanwhile) {
                    // A closed socket does not count.
                }
            }
        }
        return sockets;
    }

    @Test
    void theClientReadsAChunkedAnswerAfterAnInterimResponse() {
        serve(
                (_, out) -> {
                    write(out, "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n");
                    write(out, head("Transfer-Encoding: chunked\r\n"));
                    for (int at = 0; at < BYTES.length; at += 70_000) {
                        int length = Math.min(70_000, BYTES.length - at);
                        write(out, Integer.toHexString(length) + ";x=y\r\n");
                        out.write(BYTES, at, length);
                        write(out, "\r\n");
                    }
                    write(out, "0\r\nTrailer: z\r\n\r\n");
                    return true;
                });
        readsAll();
        assertThat(connections).hasValue(1);
    }

    @Test
    void theClientJoinsAnAnswerThatArrivesInPieces() {
        serve(
                (_, out) -> {
                    ByteArrayOutputStream all = new ByteArrayOutputStream();
                    boolean _ = honest(all);
                    byte[] bytes = all.toByteArray();
                    for (int at = 0; at < 600; at++) {
                        out.write(bytes, at, 1);
                        out.flush();
                    }
                    out.write(bytes, 600, bytes.length - 600);
                    return true;
                });
        readsAll();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 206 Partial Content\r\n\r\n",
                "HTTP/1.1 206 Partial Content\r\nContent-Length: -1\r\n\r\n",
                "HTTP/1.1 206 Partial Content\r\nContent-Length\r\n\r\n",
                "HTTP/1.1 206 Partial Content\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
                "HTTP/1.1 206 Partial Content\r\nTransfer-Encoding: chunked\r\n\r\n1\r\naa\r\n",
                "HTTP/2 200\r\n\r\n",
                "SSH-2.0-OpenSSH_9.2\r\n\r\n"
            })
    void anInvalidAnswerFailsWithUnavailable(String answer) {
        serve(
                (_, out) -> {
                    write(out, answer);
                    return true;
                });
        isUnavailable();
    }

    @Test
    void anEndlessHeadFailsWithUnavailable() {
        serve(
                (_, out) -> {
                    write(out, "HTTP/1.1 206 Partial Content\r\n");
                    for (int i = 0; i < 100_000; i++) {
                        write(out, "X: y\r\n");
                    }
                    return true;
                });
        isUnavailable();
    }

    @Test
    void aTimedOutReadReceivesNothingAfterwards() {
        serve(
                (request, out) -> {
                    if (request > 0) {
                        return honest(out);
                    }
                    write(out, head("Content-Length: " + BYTES.length + "\r\n"));
                    byte[] ones = new byte[BYTES.length / 2];
                    Arrays.fill(ones, (byte) 1);
                    out.write(ones);
                    out.flush();
                    while (true) {
                        // The client closes the connection, which ends the loop.
                        out.write(1);
                        out.flush();
                        pause();
                    }
                });
        ByteBuffer target = ByteBuffer.allocateDirect(BYTES.length);
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(
                        () ->
                                client.read(
                                        node(),
                                        MANIFEST,
                                        PACK,
                                        0,
                                        BYTES.length,
                                        target,
                                        Duration.ofMillis(300)));
        readsAll(target.clear());
        assertThat(connections).hasValue(2);
    }

    private static void pause() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
