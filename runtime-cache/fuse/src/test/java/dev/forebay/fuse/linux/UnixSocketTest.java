package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.linux.CallState;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.SystemCallException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnixSocketTest {

    @TempDir private Path directory;
    private Path path;
    private UnixSocket listening;
    private UnixSocket client;
    private UnixSocket server;

    @BeforeEach
    void connect() throws IOException {
        // Longer than the 107 bytes of an address.
        path = Files.createDirectories(directory.resolve("d".repeat(120))).resolve("socket");
        listening = UnixSocket.listen(path);
        client = UnixSocket.connect(path);
        server = listening.accept().orElseThrow();
    }

    @AfterEach
    void close() {
        server.close();
        client.close();
        listening.close();
    }

    @Test
    void messagesKeepTheirBoundaries() throws IOException {
        client.send("one", List.of());
        client.send("zwei ü", List.of());
        assertThat(server.receive().map(Packet::text)).contains("one");
        assertThat(server.receive().map(Packet::text)).contains("zwei ü");
    }

    @Test
    void aSocketIsQuietUntilAMessageOrTheEndArrives() throws IOException {
        assertThat(server.isQuiet()).isTrue();
        client.send("one", List.of());
        assertThat(server.isQuiet()).isFalse();
        assertThat(server.receive().map(Packet::text)).contains("one");
        assertThat(server.isQuiet()).isTrue();
        client.hangUp();
        assertThat(server.isQuiet()).isFalse();
    }

    @Test
    void sendFailsInsteadOfBlockingIfThePeerDoesNotReceive() {
        assertThatThrownBy(
                        () -> {
                            while (true) {
                                client.send("one more", List.of());
                            }
                        })
                .isInstanceOf(SystemCallException.class);
    }

    @Test
    void passesDescriptors() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        try (Descriptor a = Descriptor.open(file, 0);
                Descriptor b = Descriptor.open(file, 0)) {
            client.send("files", List.of(a, b));
        }
        Packet packet = server.receive().orElseThrow();
        assertThat(packet.descriptors()).hasSize(2);
        for (Descriptor received : packet.descriptors()) {
            assertThat(read(received)).isEqualTo("cont");
            received.close();
        }
    }

    private static String read(Descriptor descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(4);
            CallState state = new CallState();
            long bytes = descriptor.read(buffer, state);
            assertThat(bytes).as("errno %d", state.errno()).isEqualTo(4);
            return new String(buffer.toArray(JAVA_BYTE), StandardCharsets.UTF_8);
        }
    }

    @Test
    void peerReturnsProcessAndUserOfTheOtherEnd() throws IOException {
        assertThat(server.peer())
                .isEqualTo(
                        new Peer(ProcessHandle.current().pid(), Identity.ofThisProcess().user()));
    }

    @Test
    void listenCreatesAPrivateSocketAndReplacesAnEarlierOne() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
        try (UnixSocket next = UnixSocket.listen(path);
                UnixSocket other = UnixSocket.connect(path);
                UnixSocket accepted = next.accept().orElseThrow()) {
            other.send("new", List.of());
            assertThat(accepted.receive().map(Packet::text)).contains("new");
        }
    }

    @Test
    void aSocketReportsThatItsPeerHasClosed() throws IOException {
        client.send("last", List.of());
        client.close();
        assertThat(server.receive().map(Packet::text)).contains("last");
        assertThat(server.receive()).isEqualTo(Optional.empty());
        assertThatThrownBy(() -> server.send("to nobody", List.of()))
                .isInstanceOf(SystemCallException.class)
                .hasMessageContaining("Broken pipe");
    }

    @Test
    void hangingUpEndsAcceptingAndReceiving() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Future<Optional<Packet>> received = threads.submit(client::receive);
            Future<Optional<UnixSocket>> accepted = threads.submit(listening::accept);
            client.hangUp();
            listening.hangUp();
            assertThat(received.get()).isEmpty();
            assertThat(accepted.get()).isEmpty();
        }
        assertThatThrownBy(() -> UnixSocket.connect(directory.resolve("none")))
                .hasMessageContaining("No such file");
    }
}
