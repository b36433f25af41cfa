package dev.forebay.fuse.hold;

import dev.forebay.fuse.linux.Packet;
import dev.forebay.fuse.linux.Peer;
import dev.forebay.fuse.linux.UnixSocket;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.SystemCallException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection between a holder and a server. It ends when the process at the other end dies. The
 * kernel closes the socket after the last thread has left every system call, so the dead process
 * takes no more requests.
 *
 * <p>One thread receives and closes; any thread may send.
 */
final class Connection implements AutoCloseable {

    /**
     * A received message.
     *
     * @param mount the receiver must close it
     */
    record Received(HolderMessage message, Optional<HeldMount> mount) {}

    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    private static final AtomicLong COUNT = new AtomicLong();

    private final UnixSocket socket;
    private final Peer peer;
    private final long number = COUNT.incrementAndGet();

    Connection(UnixSocket socket) throws SystemCallException {
        this.socket = socket;
        this.peer = socket.peer();
    }

    Peer peer() {
        return peer;
    }

    /**
     * Returns the name of the other process for logs. The kernel hides the id of a process in
     * another PID namespace, which is usual for containers.
     */
    String name() {
        return peer.process() > 0
                ? "Process " + peer.process()
                : "The process of connection %d (in another PID namespace)".formatted(number);
    }

    /** Sends a message. If that fails, the connection ends, and both ends notice it. */
    void say(HolderMessage message) {
        send(message.name(), List.of());
    }

    /** Sends a message about a mount, with copies of its descriptors. */
    void say(HolderMessage message, HeldMount mount) {
        send(message.name() + " " + mount.text(), mount.device().descriptors());
    }

    private void send(String text, List<Descriptor> descriptors) {
        try {
            socket.send(text, descriptors);
        } catch (SystemCallException e) {
            LOG.debug("Cannot send {} to {}: {}", text, peer, e.getMessage());
            // The other end may be alive, and would wait for the message forever.
            socket.hangUp();
        }
    }

    /**
     * Waits for the next message; returns empty at the end of the connection.
     *
     * @param bringsMount the only message that may come with a mount; descriptors of other messages
     *     are closed
     */
    Optional<Received> receive(HolderMessage bringsMount) {
        try {
            while (true) {
                Optional<Packet> packet = socket.receive();
                if (packet.isEmpty()) {
                    return Optional.empty();
                }
                Received received = parse(packet.get(), bringsMount);
                if (received != null) {
                    return Optional.of(received);
                }
            }
        } catch (SystemCallException e) {
            LOG.debug("Connection to {} ended: {}", peer, e.getMessage());
            return Optional.empty();
        }
    }

    private static @Nullable Received parse(Packet packet, HolderMessage bringsMount) {
        String[] parts = packet.text().split(" ", 2);
        try {
            HolderMessage message = HolderMessage.valueOf(parts[0]);
            if (message == bringsMount && parts.length > 1) {
                return new Received(
                        message, Optional.of(HeldMount.parse(parts[1], packet.descriptors())));
            }
            packet.descriptors().forEach(Descriptor::close);
            return new Received(message, Optional.empty());
        } catch (IllegalArgumentException e) {
            LOG.warn("Ignoring message '{}': {}", packet.text(), e.getMessage());
            packet.descriptors().forEach(Descriptor::close);
            return null;
        }
    }

    /** Returns whether no further message has arrived and the connection has not ended. */
    boolean isQuiet() {
        return socket.isQuiet();
    }

    /** Ends the connection, and with it the wait of the receiving thread. */
    void hangUp() {
        socket.hangUp();
    }

    @Override
    public void close() {
        socket.close();
    }
}
