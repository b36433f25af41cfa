package dev.forebay.devstack.fault;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** Offers HTTP/2 to a server in each way that a client can. Each probe uses a new connection. */
public final class Http2Probe {

    private static final int TIMEOUT_MILLIS = (int) Duration.ofSeconds(30).toMillis();

    /**
     * The length of a status line up to its code, which is more than the header of an HTTP/2 frame.
     */
    private static final int ANSWER_BYTES = "HTTP/1.1 200".length();

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final byte[] EMPTY_SETTINGS = HexFormat.of().parseHex("000000040000000000");

    private final URI server;
    private final SocketFactory sockets;

    private Http2Probe(URI server, SocketFactory sockets) {
        this.server = server;
        this.sockets = sockets;
    }

    /** Returns a probe that uses no TLS. */
    public static Http2Probe plain(URI server) {
        return new Http2Probe(server, SocketFactory.getDefault());
    }

    /** Returns a probe that uses TLS. */
    public static Http2Probe encrypted(URI server, SSLContext trusting) {
        return new Http2Probe(server, trusting.getSocketFactory());
    }

    /**
     * Returns the first bytes of the answer to a client that speaks HTTP/2 from its first byte.
     * They belong to a frame, or to a status line if the server sees a bad HTTP/1 request. There
     * are fewer if the server closes the connection.
     */
    public String preface() throws IOException {
        return answer(PREFACE, EMPTY_SETTINGS);
    }

    /** Returns the first bytes of the answer to a request that asks for an upgrade to HTTP/2. */
    public String upgrade(String path) throws IOException {
        String request =
                """
                GET %s HTTP/1.1\r
                Host: %s\r
                Connection: Upgrade, HTTP2-Settings\r
                Upgrade: h2c\r
                HTTP2-Settings: AAMAAABkAAQAAP__\r
                \r
                """
                        .formatted(path, server.getAuthority());
        return answer(request, new byte[0]);
    }

    /**
     * Returns the protocol that a TLS server chooses from HTTP/2 and HTTP/1.1, or an empty string
     * if it chooses none.
     */
    public String alpn() throws IOException {
        try (SSLSocket socket = (SSLSocket) connect()) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2", "http/1.1"});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket.getApplicationProtocol();
        }
    }

    private String answer(String text, byte[] more) throws IOException {
        try (Socket socket = connect()) {
            // Both parts in one write: the server may close the connection after the first part.
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
            all.writeBytes(more);
            all.writeTo(socket.getOutputStream());
            byte[] first = socket.getInputStream().readNBytes(ANSWER_BYTES);
            return new String(first, StandardCharsets.ISO_8859_1);
        }
    }

    private Socket connect() throws IOException {
        Socket socket = sockets.createSocket(server.getHost(), server.getPort());
        socket.setSoTimeout(TIMEOUT_MILLIS);
        return socket;
    }
}
