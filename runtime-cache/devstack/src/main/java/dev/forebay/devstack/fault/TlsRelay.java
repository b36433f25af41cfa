package dev.forebay.devstack.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/**
 * Terminates TLS for an HTTP/2 server that does not support it. It accepts only clients with a
 * certificate that the context trusts. Binds to loopback. Thread-safe.
 */
public final class TlsRelay implements AutoCloseable {

    private static final int HANDSHAKE_MILLIS = 10_000;

    private final InetSocketAddress server;
    private final SSLServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong refused = new AtomicLong();

    private TlsRelay(InetSocketAddress server, SSLServerSocket listener) {
        this.server = server;
        this.listener = listener;
    }

    /**
     * Starts a relay on a free port.
     *
     * @param target host and port of the server
     * @param context has the relay's certificate, and the authorities of clients
     */
    public static TlsRelay before(String target, SSLContext context) {
        int colon = target.lastIndexOf(':');
        InetSocketAddress server =
                new InetSocketAddress(
                        target.substring(0, colon), Integer.parseInt(target.substring(colon + 1)));
        try {
            SSLServerSocket listener =
                    (SSLServerSocket)
                            context.getServerSocketFactory()
                                    .createServerSocket(0, 128, InetAddress.getLoopbackAddress());
            SSLParameters parameters = listener.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            parameters.setNeedClientAuth(true);
            listener.setSSLParameters(parameters);
            TlsRelay relay = new TlsRelay(server, listener);
            start(relay::accept);
            return relay;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void start(Runnable task) {
        Thread.ofPlatform().daemon().name("tls-relay").start(task);
    }

    /** Returns the address for clients: {@code 127.0.0.1:port}. */
    public String target() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /**
     * Returns how many connections failed, for example because of a missing or untrusted
     * certificate.
     */
    public long refused() {
        return refused.get();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                SSLSocket client = (SSLSocket) listener.accept();
                start(() -> serve(client));
            } catch (IOException e) {
                // The listener is closed, or only this connection failed.
            }
        }
    }

    private void serve(SSLSocket client) {
        try (client;
                Socket there = new Socket()) {
            open.add(client);
            client.setSoTimeout(HANDSHAKE_MILLIS);
            client.startHandshake();
            client.setSoTimeout(0);
            there.connect(server);
            open.add(there);
            start(() -> copy(there, client));
            copy(client, there);
        } catch (IOException e) {
            refused.incrementAndGet();
        } finally {
            open.remove(client);
        }
    }

    /** Copies until one side ends, then closes both. */
    private void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // The other side sees the end.
        } finally {
            open.remove(from);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
