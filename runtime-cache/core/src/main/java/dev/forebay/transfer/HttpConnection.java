package dev.forebay.transfer;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * A connection to a worker for one GET after the other (HTTP/1.1, RFC 9112). Bodies are received
 * directly into the buffers of their readers.
 *
 * <p>Methods block. Not thread-safe, except that another thread may call {@link #close}, which ends
 * a blocked call.
 */
final class HttpConnection implements AutoCloseable {

    private static final int HEAD_BYTES = 16 << 10;

    /**
     * The most bytes read at once into a buffer on the heap, because the JVM copies them through
     * memory outside the heap.
     */
    private static final int HEAP_STEP_BYTES = 128 << 10;

    private final URI worker;
    private final SocketChannel channel;
    private ReadableByteChannel in;
    private WritableByteChannel out;

    /** Bytes that were received and not used yet. */
    private final ByteBuffer ahead = ByteBuffer.allocateDirect(HEAD_BYTES).limit(0);

    private boolean answering;

    HttpConnection(URI worker) throws IOException {
        this.worker = worker;
        this.channel = SocketChannel.open();
        this.in = channel;
        this.out = channel;
    }

    boolean connected() {
        return channel.isConnected();
    }

    /**
     * Connects, with TLS if the worker's address has scheme https.
     *
     * @param context the trusted authorities for TLS
     */
    void connect(Duration timeout, SSLContext context) throws IOException {
        boolean encrypted = worker.getScheme().equals("https");
        int port = worker.getPort() >= 0 ? worker.getPort() : encrypted ? 443 : 80;
        int millis = Math.toIntExact(timeout.toMillis());
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.socket().connect(new InetSocketAddress(worker.getHost(), port), millis);
        if (encrypted) {
            encrypt(context, port, millis);
        }
    }

    private void encrypt(SSLContext context, int port, int millis) throws IOException {
        SSLSocket socket =
                (SSLSocket)
                        context.getSocketFactory()
                                .createSocket(channel.socket(), worker.getHost(), port, true);
        SSLParameters parameters = socket.getSSLParameters();
        // Compares the worker's host name with its certificate (RFC 9110, section 4.3.4).
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(millis);
        socket.startHandshake();
        socket.setSoTimeout(0);
        in = Channels.newChannel(socket.getInputStream());
        out = Channels.newChannel(socket.getOutputStream());
    }

    /**
     * Sends a GET.
     *
     * @param fields lines of the head, without their ends
     */
    void get(String pathAndQuery, List<String> fields) throws IOException {
        answering = false;
        StringBuilder head = new StringBuilder(512);
        head.append("GET ").append(pathAndQuery).append(" HTTP/1.1\r\n");
        head.append("Host: ").append(worker.getRawAuthority()).append("\r\n");
        fields.forEach(field -> head.append(field).append("\r\n"));
        head.append("\r\n");
        ByteBuffer bytes = ByteBuffer.wrap(head.toString().getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
    }

    /** Receives the head of the answer. */
    HttpHead head() throws IOException {
        HttpHead head = HttpHead.parse(lines());
        while (head.status() < 200) {
            head = HttpHead.parse(lines());
        }
        return head;
    }

    /** Returns whether any byte of the answer to the last request has arrived. */
    boolean answering() {
        return answering;
    }

    /** Returns whether no bytes beyond the last answer have arrived. */
    boolean clean() {
        return !ahead.hasRemaining();
    }

    /** Returns the body that follows this head. */
    Body body(HttpHead head) throws IOException {
        boolean chunked = head.field("transfer-encoding").equalsIgnoreCase("chunked");
        String length = head.field("content-length");
        if (!chunked && !length.matches("\\d{1,18}")) {
            throw new ProtocolViolationException("sent a response without a length");
        }
        return new Body(chunked, chunked ? 0 : Long.parseLong(length));
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // No caller uses this connection any more.
        }
    }

    /** Returns the lines before an empty one. */
    private List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        int bytes = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            bytes += line.length();
            if (bytes > HEAD_BYTES) {
                throw new ProtocolViolationException("sent a response head without an end");
            }
            lines.add(line);
        }
        return lines;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder(80);
        while (line.length() < HEAD_BYTES) {
            char next = nextCharacter();
            if (next == '\n') {
                return line.toString().stripTrailing();
            }
            line.append(next);
        }
        throw new ProtocolViolationException("sent a line without an end");
    }

    private char nextCharacter() throws IOException {
        if (!ahead.hasRemaining()) {
            ahead.clear();
            try {
                receive(ahead);
            } finally {
                ahead.flip();
            }
        }
        return (char) (ahead.get() & 0xff);
    }

    private void receive(ByteBuffer into) throws IOException {
        if (in.read(into) < 0) {
            throw new EOFException("the worker closed the connection");
        }
        answering = true;
    }

    /** The body of an answer. Only the connection's thread may use it. */
    final class Body {

        private final boolean chunked;

        /** The bytes left of the body, or of the current chunk of a chunked body. */
        private long left;

        private boolean lastChunkSeen;
        private boolean insideChunk;

        private Body(boolean chunked, long left) {
            this.chunked = chunked;
            this.left = left;
        }

        /** Returns whether the whole body has been received. */
        boolean ended() throws IOException {
            if (left == 0 && chunked && !lastChunkSeen) {
                nextChunk();
            }
            return left == 0;
        }

        /** Receives a part, at least one byte, into a buffer that has space. */
        void read(ByteBuffer into) throws IOException {
            if (ended()) {
                throw new ProtocolViolationException("sent fewer bytes than it announced");
            }
            int most = (int) Math.min(left, into.remaining());
            int before = into.position();
            if (ahead.hasRemaining()) {
                int bytes = Math.min(most, ahead.remaining());
                into.put(before, ahead, ahead.position(), bytes);
                ahead.position(ahead.position() + bytes);
                into.position(before + bytes);
            } else {
                int step = into.isDirect() ? most : Math.min(most, HEAP_STEP_BYTES);
                ByteBuffer part = into.slice(before, step);
                receive(part);
                into.position(before + part.position());
            }
            left -= into.position() - before;
        }

        private void nextChunk() throws IOException {
            if (insideChunk && !line().isEmpty()) {
                throw new ProtocolViolationException(
                        "sent an HTTP chunk that is longer than announced");
            }
            String size = line().split(";", 2)[0].strip();
            if (!size.matches("[0-9a-fA-F]{1,15}")) {
                throw new ProtocolViolationException("sent an HTTP chunk without a length");
            }
            left = Long.parseLong(size, 16);
            insideChunk = true;
            if (left == 0) {
                lastChunkSeen = true;
                List<String> _ = lines();
            }
        }
    }
}
