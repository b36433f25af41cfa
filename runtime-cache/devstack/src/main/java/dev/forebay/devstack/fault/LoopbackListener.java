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
 * Takes connections on a port of loopback, each for a thread of its own, until it is closed: then
 * all connections break. Safe for use by many threads.
 */
final class LoopbackListener implements AutoCloseable {

    private static final int BACKLOG = 1024;

    private final ServerSocket socket;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** Works with one connection until both are closed, the one to the server, too. */
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

    /** Where clients connect. */
    int port() {
        return socket.getLocalPort();
    }

    /**
     * Begins to take connections.
     *
     * @param service gets the client's, and one to be connected with the server
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
            // A connection that breaks is this package's trade; the client notices.
        } finally {
            open.removeIf(Socket::isClosed);
        }
    }

    /** Ends all connections that there are. */
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
