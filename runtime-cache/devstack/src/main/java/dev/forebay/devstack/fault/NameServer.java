package dev.forebay.devstack.fault;

import dev.forebay.devstack.DevstackException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A name server (RFC 1035, over UDP) for the processes that a test starts. The test sets its IPv4
 * addresses, and can make it fail. Needs root for its port, and to give those processes a {@code
 * resolv.conf} of their own. Thread-safe.
 */
public final class NameServer implements AutoCloseable {

    private static final int PORT = 53;
    private static final int MOST_BYTES = 512;
    private static final int HEAD_BYTES = 12;
    private static final int TYPE_A = 1;

    /** The flags of an answer that supports recursion, without the code of the answer. */
    private static final int ANSWER_FLAGS = 0x8180;

    private static final int NO_SUCH_NAME = 3;
    private static final int SERVER_FAILURE = 2;

    /** A pointer to the name in the question. */
    private static final int NAME_OF_THE_QUESTION = 0xc000 + HEAD_BYTES;

    private enum Mode {
        KNOWS,
        FAILS,
        SILENT
    }

    private final DatagramSocket socket;
    private final Path resolvConf;
    private final Map<String, InetAddress> addresses = new ConcurrentHashMap<>();
    private final Set<String> asked = ConcurrentHashMap.newKeySet();
    private volatile Mode mode = Mode.KNOWS;

    private NameServer(DatagramSocket socket, Path resolvConf) {
        this.socket = socket;
        this.resolvConf = resolvConf;
    }

    /**
     * Starts a server that knows no name yet.
     *
     * @param directory for the {@code resolv.conf} that names it
     * @return empty if this process lacks the rights
     */
    public static Optional<NameServer> startIfAllowed(Path directory) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        // A random one of the loopback addresses, because other tests have name servers, too.
        String address = "127.53.%d.%d".formatted(random.nextInt(256), random.nextInt(1, 255));
        try {
            if (new ProcessBuilder("unshare", "--mount", "true").start().waitFor() != 0) {
                return Optional.empty();
            }
            Files.createDirectories(directory);
            Path file = directory.toAbsolutePath().resolve("resolv.conf");
            // The resolver asks twice, with a timeout of 1 s, so silence causes an error after 2 s.
            Files.writeString(
                    file, "nameserver %s%noptions timeout:1 attempts:2%n".formatted(address));
            NameServer server =
                    new NameServer(new DatagramSocket(new InetSocketAddress(address, PORT)), file);
            Thread.ofVirtual().name("name-server").start(server::serve);
            return Optional.of(server);
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DevstackException("interrupted", e);
        }
    }

    /** Returns the prefix for the command of a process that must ask only this server. */
    public List<String> askedBy() {
        return List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\"",
                resolvConf.toString());
    }

    /** Gives a host this loopback address as its only one. */
    public void move(String host, String address) {
        addresses.put(host, InetAddress.ofLiteral(address));
    }

    /** Removes a host. */
    public void remove(String host) {
        addresses.remove(host);
    }

    /** Makes the server answer every question with SERVFAIL. */
    public void fail() {
        become(Mode.FAILS);
    }

    /** Makes the server leave every question without an answer. */
    public void fallSilent() {
        become(Mode.SILENT);
    }

    /** Makes the server answer again. */
    public void goOn() {
        become(Mode.KNOWS);
    }

    private void become(Mode next) {
        mode = next;
        asked.clear();
    }

    /**
     * Returns whether a client has asked for a host since the server last changed how it answers.
     */
    public boolean wasAsked(String host) {
        return asked.contains(host);
    }

    private void serve() {
        byte[] bytes = new byte[MOST_BYTES];
        while (!socket.isClosed()) {
            DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
            try {
                socket.receive(packet);
                byte[] answer = answer(ByteBuffer.wrap(bytes, 0, packet.getLength()));
                if (mode != Mode.SILENT) {
                    socket.send(
                            new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
                }
            } catch (SocketException closed) {
                return;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private byte[] answer(ByteBuffer query) {
        short id = query.getShort();
        query.position(HEAD_BYTES);
        String host = name(query);
        asked.add(host);
        boolean wanted = query.getShort() == TYPE_A;
        int end = query.position() + Short.BYTES;
        boolean known = addresses.containsKey(host);
        boolean fails = mode == Mode.FAILS;
        InetAddress address = wanted && !fails ? addresses.get(host) : null;
        int code = fails ? SERVER_FAILURE : known ? 0 : NO_SUCH_NAME;
        ByteBuffer answer = ByteBuffer.allocate(MOST_BYTES);
        answer.putShort(id).putShort((short) (ANSWER_FLAGS | code));
        answer.putShort((short) 1).putShort((short) (address == null ? 0 : 1)).putInt(0);
        answer.put(query.slice(HEAD_BYTES, end - HEAD_BYTES));
        if (address != null) {
            byte[] four = address.getAddress();
            answer.putShort((short) NAME_OF_THE_QUESTION).putShort((short) TYPE_A);
            answer.putShort((short) 1).putInt(0).putShort((short) four.length).put(four);
        }
        byte[] sent = new byte[answer.position()];
        answer.flip().get(sent);
        return sent;
    }

    private static String name(ByteBuffer query) {
        ByteArrayOutputStream name = new ByteArrayOutputStream();
        for (int length = query.get(); length > 0; length = query.get()) {
            if (name.size() > 0) {
                name.write('.');
            }
            for (int i = 0; i < length; i++) {
                name.write(query.get());
            }
        }
        return name.toString(StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT);
    }

    @Override
    public void close() {
        socket.close();
    }
}
