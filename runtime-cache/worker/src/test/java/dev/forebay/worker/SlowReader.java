package dev.forebay.worker;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * A client that requests a pack and reads slowly. It has the head of the answer, while most of the
 * body is still in the worker.
 */
final class SlowReader implements AutoCloseable {

    private static final int SMALL_WINDOW_BYTES = 16 << 10;

    private final Socket socket;

    private SlowReader(Socket socket) {
        this.socket = socket;
    }

    static SlowReader ask(URI worker, String path) throws IOException {
        return ask(worker, path, "0-");
    }

    /**
     * Requests other ranges.
     *
     * @param ranges the ranges without the unit
     */
    static SlowReader ask(URI worker, String path, String ranges) throws IOException {
        SlowReader reader = begin(worker, path, ranges);
        reader.skipHead();
        return reader;
    }

    /** Sends the request and does not wait for the beginning of the answer. */
    static SlowReader begin(URI worker, String path, String ranges) throws IOException {
        Socket socket = TestProtocol.socket(worker);
        socket.setReceiveBufferSize(SMALL_WINDOW_BYTES);
        socket.connect(new InetSocketAddress(worker.getHost(), worker.getPort()));
        String request =
                "GET %s HTTP/1.1\r\nHost: worker\r\nRange: bytes=%s\r\nConnection: close\r\n\r\n"
                        .formatted(path, ranges);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return new SlowReader(socket);
    }

    /** Reads the rest of the answer. */
    byte[] body(int length) throws IOException {
        return socket.getInputStream().readNBytes(length);
    }

    private void skipHead() throws IOException {
        InputStream in = socket.getInputStream();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("after " + head.toString(StandardCharsets.US_ASCII));
            }
            head.write(next);
        }
        if (!head.toString(StandardCharsets.US_ASCII).startsWith("HTTP/1.1 206")) {
            throw new IOException(head.toString(StandardCharsets.US_ASCII));
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
