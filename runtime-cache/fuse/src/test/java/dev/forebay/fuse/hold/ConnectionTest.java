package dev.forebay.fuse.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.kernel.device.FuseDevice;
import dev.forebay.fuse.kernel.device.Protocol;
import dev.forebay.fuse.linux.Packet;
import dev.forebay.fuse.linux.UnixSocket;
import dev.forebay.linux.Descriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectionTest {

    private static final long TIMEOUT_SECONDS = 30;

    /** A number that is no open file, so the kernel refuses to pass it. */
    private static final int NOTHING = 1_000_000_000;

    @TempDir private Path directory;

    @Test
    void aConnectionEndsIfAMessageCannotBeSent() throws Exception {
        Path path = directory.resolve("socket");
        FuseDevice device =
                new FuseDevice(List.of(Descriptor.of(NOTHING)), new Protocol(45, 0, 1 << 20));
        try (UnixSocket listening = UnixSocket.listen(path);
                UnixSocket other = UnixSocket.connect(path);
                Connection connection = new Connection(listening.accept().orElseThrow())) {
            connection.say(HolderMessage.PING);
            assertThat(receiveText(other)).contains(HolderMessage.PING.name());
            connection.say(HolderMessage.MOUNT, HeldMount.made(device, directory));
            assertThat(receiveText(other)).isEmpty();
        }
    }

    /** Waits for the next message; returns empty at the end of the connection. */
    private static Optional<String> receiveText(UnixSocket socket) throws Exception {
        return CompletableFuture.supplyAsync(
                        () -> receive(socket), task -> Thread.ofPlatform().daemon().start(task))
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    private static Optional<String> receive(UnixSocket socket) {
        try {
            return socket.receive().map(Packet::text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
