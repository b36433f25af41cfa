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
 * Between a holder and a server. It ends with the process at the other end: the kernel closes its
 * socket when the last of its threads is past every system call, so it takes no request any more.
 *
 * <p>One thread hears and closes; any may say.
 */
final class Connection implements AutoCloseable {

    /**
     * A message.
     *
     * @param mount is the hearer's to close
     */
    record Heard(Word word, Optional<HeldMount> mount) {}

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
     * Returns what logs call the process at the other end. The kernel does not say the id of one of
     * another PID namespace, as containers have it.
     */
    String name() {
        return peer.process() > 0
                ? "Process " + peer.process()
                : "The process of connection %d (in another PID namespace)".formatted(number);
    }

    /** Says a word. If that cannot be done the connection ends, which both ends hear. */
    void say(Word word) {
        send(word.name(), List.of());
    }

    /** Says a word about a mount, and passes copies of its descriptors. */
    void say(Word word, HeldMount mount) {
        send(word.name() + " " + mount.text(), mount.device().descriptors());
    }

    private void send(String text, List<Descriptor> descriptors) {
        try {
            socket.send(text, descriptors);
        } catch (SystemCallException e) {
            LOG.debug("{} not said to {}: {}", text, peer, e.getMessage());
            // The other end may be there, and would wait for the word for ever.
            socket.hangUp();
        }
    }

    /**
     * The next that is said; empty at the end.
     *
     * @param bringsMount the only word that may come with a mount; nobody would close what comes
     *     with others
     */
    Optional<Heard> hear(Word bringsMount) {
        try {
            while (true) {
                Optional<Packet> packet = socket.receive();
                if (packet.isEmpty()) {
                    return Optional.empty();
                }
                Heard heard = parse(packet.get(), bringsMount);
                if (heard != null) {
                    return Optional.of(heard);
                }
            }
        } catch (SystemCallException e) {
            LOG.debug("Nothing more of {}: {}", peer, e.getMessage());
            return Optional.empty();
        }
    }

    private static @Nullable Heard parse(Packet packet, Word bringsMount) {
        String[] parts = packet.text().split(" ", 2);
        try {
            Word word = Word.valueOf(parts[0]);
            if (word == bringsMount && parts.length > 1) {
                return new Heard(
                        word, Optional.of(HeldMount.parse(parts[1], packet.descriptors())));
            }
            packet.descriptors().forEach(Descriptor::close);
            return new Heard(word, Optional.empty());
        } catch (IllegalArgumentException e) {
            LOG.warn("Passing over '{}': {}", packet.text(), e.getMessage());
            packet.descriptors().forEach(Descriptor::close);
            return null;
        }
    }

    /** Whether nothing more was said yet, and the connection has not ended. */
    boolean isQuiet() {
        return socket.isQuiet();
    }

    /** Makes the one who hears find the end. */
    void hangUp() {
        socket.hangUp();
    }

    @Override
    public void close() {
        socket.close();
    }
}
