package dev.forebay.devstack.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Accepts connections on a loopback port and serves each in a thread of its own. {@link #close}
 * breaks all connections. Thread-safe.
 */
final class LoopbackListener implements AutoCloseable {

    private static final int BACKLOG = 1024;

    private final ServerSocket socket;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /**
     * Serves one connection of a client until both it and the connection to the server are closed.
     */
    @FunctionalInterface
    interface Service {
        void serve(Socket client, Socket upstream) throws IOException, InterruptedException;
    }

    LoopbackListener() {
        this(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    LoopbackListener(InetSocketAddress address) {
        try {
            socket = new ServerSocket(address.getPort(), BACKLOG, address.getAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the port for clients. */
    int port() {
        return socket.getLocalPort();
    }

    /**
     * Begins to accept connections.
     *
     * @param service receives the client's socket, and one to connect with the server
     */
    void begin(String name, Service service) {
        Thread.ofVirtual().name(name).start(() -> accept(service));
    }

    private void accept(Service service) {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                Thread.ofVirtual().start(() -> serve(client, service));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client, Service service) {
        try (client;
                Socket upstream = new Socket()) {
            open.add(client);
            open.add(upstream);
            service.serve(client, upstream);
        } catch (IOException | InterruptedException broken) {
            // Connections break on purpose here, and the client notices.
        } finally {
            open.removeIf(Socket::isClosed);
        }
    }

    /** Ends all present connections. */
    void breakConnections() {
        try {
            for (Socket each : open) {
                each.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
            breakConnections();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
