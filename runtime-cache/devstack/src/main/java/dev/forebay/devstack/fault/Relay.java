package dev.forebay.devstack.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Passes bytes to and from a server of any protocol, until a test has it fall silent: then nothing
 * passes, new connections are taken, and no connection ends. Binds to loopback. Safe for use by
 * many threads.
 */
public final class Relay implements AutoCloseable {

    private static final int BUFFER_BYTES = 16 << 10;

    private final InetSocketAddress server;
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Object lock = new Object();
    private boolean silent;

    private Relay(InetSocketAddress server, ServerSocket listener) {
        this.server = server;
        this.listener = listener;
    }

    /** Starts one on a free port before a server on loopback. */
    public static Relay before(int port) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try {
            Relay relay =
                    new Relay(
                            new InetSocketAddress(loopback, port),
                            new ServerSocket(0, 128, loopback));
            Thread.ofVirtual().name("relay").start(relay::accept);
            return relay;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where clients connect. */
    public int port() {
        return listener.getLocalPort();
    }

    /** From now on nothing passes. */
    public void fallSilent() {
        synchronized (lock) {
            silent = true;
        }
    }

    /** What was held up passes, and what comes. */
    public void goOn() {
        synchronized (lock) {
            silent = false;
            lock.notifyAll();
        }
    }

    private void awaitSpeech() throws InterruptedException {
        synchronized (lock) {
            while (silent) {
                lock.wait();
            }
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                open.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket upstream = new Socket()) {
            open.add(upstream);
            awaitSpeech();
            upstream.connect(server);
            Thread back = Thread.ofVirtual().start(() -> pass(upstream, client));
            pass(client, upstream);
            back.join();
        } catch (IOException | InterruptedException broken) {
            // The client notices.
        } finally {
            open.removeIf(Socket::isClosed);
        }
    }

    /** Until one of them ends; then both do. */
    private void pass(Socket from, Socket to) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                awaitSpeech();
                out.write(buffer, 0, n);
            }
        } catch (IOException | InterruptedException broken) {
            // As above.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            goOn();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
