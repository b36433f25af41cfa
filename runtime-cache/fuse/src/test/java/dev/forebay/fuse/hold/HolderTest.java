package dev.forebay.fuse.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.kernel.device.FuseDevice;
import dev.forebay.fuse.kernel.device.Protocol;
import dev.forebay.fuse.linux.Packet;
import dev.forebay.fuse.linux.UnixSocket;
import dev.forebay.linux.Descriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HolderTest {

    private static final long TIMEOUT_SECONDS = 30;
    private static final Path PLACE = Path.of("/mnt");
    private static final String MOUNT = HolderMessage.JOIN + " id 45 0 1048576 " + PLACE;

    @TempDir private Path directory;

    /** Simulates that no thread is left for another server. */
    @Test
    void theHolderAcceptsServersAfterItFailsToStartAThread() throws Exception {
        FailingThreads threads = new FailingThreads();
        threads.set("inherited");
        try (Holder _ = Holder.listen(directory, Optional.of(PLACE), Duration.ZERO)) {
            threads.fail = true;
            try (UnixSocket turnedAway = connect()) {
                assertThat(receiveText(turnedAway)).isEmpty();
            }
            threads.fail = false;
            try (UnixSocket server = connect()) {
                server.send(HolderMessage.PING.name(), List.of());
                hearUntil(server, HolderMessage.PONG);
            }
        } finally {
            threads.remove();
        }
    }

    @Test
    void aHolderWithoutAMountAnswersHealthChecks() {
        assertThat(HolderLivenessCheck.of(directory, Duration.ofSeconds(TIMEOUT_SECONDS)))
                .isFalse();
        try (Holder _ = Holder.listen(directory, Optional.of(PLACE), Duration.ZERO)) {
            assertThat(HolderLivenessCheck.of(directory, Duration.ofSeconds(TIMEOUT_SECONDS)))
                    .isTrue();
        }
    }

    /** Simulates a holder that hangs: the socket exists, but no thread accepts. */
    @Test
    void aHolderThatDoesNotAnswerIsUnhealthy() throws Exception {
        UnixSocket silent = UnixSocket.listen(Holder.socket(directory));
        try {
            // More connections than the backlog holds, so that connecting blocks too.
            for (int i = 0; i < 20; i++) {
                assertThat(HolderLivenessCheck.of(directory, Duration.ofMillis(50))).isFalse();
            }
        } finally {
            silent.hangUp();
            silent.close();
        }
    }

    /** Simulates a server that is stopped directly after it joined: it keeps its connection. */
    @Test
    void theHolderReplacesAServerThatIsAppointedAndDoesNotServe() throws Exception {
        Path file = Files.createFile(directory.resolve("device"));
        try (Holder _ = Holder.listen(directory, Optional.of(PLACE), Duration.ofSeconds(1));
                Descriptor device = Descriptor.open(file, Descriptor.O_RDONLY);
                UnixSocket mute = connect();
                UnixSocket next = connect()) {
            mute.send(MOUNT, List.of(device));
            hearUntil(mute, HolderMessage.SERVE);
            next.send(HolderMessage.JOIN.name(), List.of());
            hearUntil(next, HolderMessage.SERVE);
            hearUntil(mute, HolderMessage.REPLACED);
            mute.send(HolderMessage.PING.name(), List.of());
            hearUntil(mute, HolderMessage.PONG);
        }
    }

    /** Simulates a server that was stopped while its holder was replaced, and continues later. */
    @Test
    void aServerOfAnEarlierHolderEndsIfAnotherOneServes() throws Exception {
        Path file = Files.createFile(directory.resolve("device"));
        try (Holder _ = Holder.listen(directory, Optional.of(PLACE), Duration.ZERO);
                Descriptor device = Descriptor.open(file, Descriptor.O_RDONLY);
                UnixSocket next = connect();
                UnixSocket late = connect()) {
            next.send(MOUNT, List.of(device));
            hearUntil(next, HolderMessage.SERVE);
            next.send(HolderMessage.SERVING.name(), List.of());
            late.send(MOUNT, List.of(device));
            late.send(HolderMessage.SERVING.name(), List.of());
            hearUntil(late, HolderMessage.REPLACED);
        }
    }

    /** The next holder has another path, so a mount that is handed in would stay invisible. */
    @Test
    void theHolderDoesNotTakeBackAMountAtAnotherPath() throws Exception {
        assertThatTheServerEnds(Optional.of(Path.of("/elsewhere")));
    }

    /** Simulates a mount that was unmounted while files were open. */
    @Test
    void theHolderDoesNotTakeBackAMountWithoutAPath() throws Exception {
        assertThatTheServerEnds(Optional.empty());
    }

    private void assertThatTheServerEnds(Optional<Path> awaited) throws Exception {
        Path file = Files.createFile(directory.resolve("device"));
        Protocol protocol = new Protocol(45, 0, 1 << 20);
        try (Holder holder = Holder.listen(directory, awaited, Duration.ZERO);
                Descriptor device = Descriptor.open(file, Descriptor.O_RDONLY);
                Descriptor made = Descriptor.open(file, Descriptor.O_RDONLY);
                UnixSocket before = connect();
                UnixSocket next = connect()) {
            before.send(MOUNT, List.of(device));
            assertThat(holder.hold(new FuseDevice(List.of(made), protocol), PLACE)).isTrue();
            hearUntil(before, HolderMessage.END);
            before.send(HolderMessage.END.name(), List.of());
            before.send(HolderMessage.PING.name(), List.of());
            hearUntil(before, HolderMessage.PONG);
            assertThat(holder.end()).as("the end of another mount").isNotDone();
            next.send(HolderMessage.JOIN.name(), List.of());
            hearUntil(next, HolderMessage.SERVE);
        }
    }

    private static void hearUntil(UnixSocket socket, HolderMessage message) throws Exception {
        String received;
        do {
            Optional<Packet> packet = receive(socket);
            packet.ifPresent(each -> each.descriptors().forEach(Descriptor::close));
            received = packet.map(Packet::text).orElseThrow();
        } while (!received.split(" ", 2)[0].equals(message.name()));
    }

    /** Inherited by the accepting thread, which then starts threads of its own. */
    private static final class FailingThreads extends InheritableThreadLocal<String> {
        private volatile boolean fail;

        @Override
        protected String childValue(String parents) {
            if (fail && Thread.currentThread().getName().equals("holder")) {
                throw new OutOfMemoryError("simulated");
            }
            return parents;
        }
    }

    private UnixSocket connect() throws IOException {
        return UnixSocket.connect(Holder.socket(directory));
    }

    /** Waits for the next message; returns empty at the end of the connection. */
    private static Optional<String> receiveText(UnixSocket socket) throws Exception {
        return receive(socket).map(Packet::text);
    }

    private static Optional<Packet> receive(UnixSocket socket) throws Exception {
        return CompletableFuture.supplyAsync(
                        () -> receiveNow(socket), task -> Thread.ofPlatform().daemon().start(task))
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    private static Optional<Packet> receiveNow(UnixSocket socket) {
        try {
            return socket.receive();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
