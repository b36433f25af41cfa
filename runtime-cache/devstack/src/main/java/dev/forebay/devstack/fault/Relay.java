package dev.forebay.devstack.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * Passes bytes to and from a server of any protocol, until a test silences it. A silent relay
 * passes nothing, but accepts new connections and ends none. Binds to loopback. Thread-safe.
 */
public final class Relay implements AutoCloseable {

    private static final int BUFFER_BYTES = 16 << 10;

    private final InetSocketAddress server;
    private final LoopbackListener listener;
    private final Object lock = new Object();
    private boolean silent;

    private Relay(InetSocketAddress server, LoopbackListener listener) {
        this.server = server;
        this.listener = listener;
    }

    /** Starts a relay for a server on loopback, on a free port. */
    public static Relay before(int port) {
        return before(port, new LoopbackListener());
    }

    /**
     * Starts a relay on the same port of another address.
     *
     * @param address of loopback, such as {@code 127.0.0.2}
     */
    public static Relay before(int port, String address) {
        return before(port, new LoopbackListener(new InetSocketAddress(address, port)));
    }

    private static Relay before(int port, LoopbackListener listener) {
        Relay relay =
                new Relay(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), listener);
        listener.begin("relay", relay::serve);
        return relay;
    }

    /** Returns the port for clients. */
    public int port() {
        return listener.port();
    }

    /** Stops all bytes, without ending connections. */
    public void fallSilent() {
        synchronized (lock) {
            silent = true;
        }
    }

    /** Passes the bytes that waited, and all later ones. */
    public void goOn() {
        synchronized (lock) {
            silent = false;
            lock.notifyAll();
        }
    }

    /** Ends all present connections. The relay accepts new ones. */
    public void breakConnections() {
        listener.breakConnections();
    }

    private void awaitSpeech() throws InterruptedException {
        synchronized (lock) {
            while (silent) {
                lock.wait();
            }
        }
    }

    private void serve(Socket client, Socket upstream) throws IOException, InterruptedException {
        awaitSpeech();
        upstream.connect(server);
        Thread back = Thread.ofVirtual().start(() -> pass(upstream, client));
        pass(client, upstream);
        back.join();
    }

    /** Copies until one side ends, then closes both. */
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
            // The client notices.
        }
    }

    @Override
    public void close() {
        goOn();
        listener.close();
    }
}
