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
 * Ends TLS before a server of HTTP/2 that does not speak it, and lets in only who shows a
 * certificate that the context trusts. Binds to loopback. Safe for use by many threads.
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
     * Starts one on a free port.
     *
     * @param target host and port of the server
     * @param context with the certificate to show, and the authorities of clients
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

    /** Where clients connect: {@code 127.0.0.1:port}. */
    public String target() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /** How many connections came to nothing, for what they showed, or did not. */
    public long refused() {
        return refused.get();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                SSLSocket client = (SSLSocket) listener.accept();
                start(() -> serve(client));
            } catch (IOException e) {
                // Closed, or the next one may do.
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

    /** Until one of them ends; then both do. */
    private void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // The other end sees it.
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
