package dev.forebay.devstack.fault;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One request to the server and its answer. */
final class Exchange {

    private static final int HEAD_LIMIT_BYTES = 64 << 10;
    private static final int BUFFER_BYTES = 16 << 10;
    private static final int TICKS_PER_SECOND = 20;

    /**
     * Matches up to the position of the first byte. Another digit behind it makes another position.
     */
    private static final Pattern CONTENT_RANGE =
            Pattern.compile("(?<range>content-range: *bytes \\d+)", Pattern.CASE_INSENSITIVE);

    private static final Pattern RANGE =
            Pattern.compile("\\r\\nrange: *([^\\r]*)", Pattern.CASE_INSENSITIVE);

    private static final Pattern ETAG =
            Pattern.compile("\\r\\netag:[^\\r]*", Pattern.CASE_INSENSITIVE);

    private final InputStream fromClient;
    private final OutputStream toClient;
    private final String head;

    private Exchange(InputStream fromClient, OutputStream toClient, String head) {
        this.fromClient = fromClient;
        this.toClient = toClient;
        this.head = head;
    }

    /** Reads the head of a request; returns null if the client has closed the connection. */
    static @Nullable Exchange begin(Socket client) throws IOException {
        InputStream in = new BufferedInputStream(client.getInputStream());
        String head = readHead(in);
        return head.isEmpty() ? null : new Exchange(in, client.getOutputStream(), head);
    }

    String method() {
        return head.substring(0, head.indexOf(' '));
    }

    String target() {
        int from = head.indexOf(' ') + 1;
        return head.substring(from, head.indexOf(' ', from));
    }

    String range() {
        Matcher range = RANGE.matcher(head);
        return range.find() ? range.group(1) : "";
    }

    void answer(Fault fault, Socket upstream, InetSocketAddress server)
            throws IOException, InterruptedException {
        if (fault instanceof Fault.Status status) {
            String spoilt =
                    "HTTP/1.1 "
                            + status.code()
                            + " Spoilt\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            toClient.write(spoilt.getBytes(StandardCharsets.ISO_8859_1));
            return;
        }
        upstream.connect(server);
        OutputStream toServer = upstream.getOutputStream();
        toServer.write(withoutKeepAlive(head).getBytes(StandardCharsets.ISO_8859_1));
        Thread.ofVirtual().start(() -> passBody(toServer));
        InputStream fromServer = new BufferedInputStream(upstream.getInputStream());
        String answerHead = readHead(fromServer);
        while (answerHead.startsWith("HTTP/1.1 100")) {
            toClient.write(answerHead.getBytes(StandardCharsets.ISO_8859_1));
            answerHead = readHead(fromServer);
        }
        if (fault instanceof Fault.Delay delay) {
            Thread.sleep(delay.duration());
        }
        if (fault instanceof Fault.OtherRange) {
            answerHead = CONTENT_RANGE.matcher(answerHead).replaceFirst("${range}1");
        }
        if (fault instanceof Fault.WithoutEtag) {
            answerHead = ETAG.matcher(answerHead).replaceFirst("");
        }
        toClient.write(answerHead.getBytes(StandardCharsets.ISO_8859_1));
        passAnswer(fault, fromServer);
    }

    private void passAnswer(Fault fault, InputStream body)
            throws IOException, InterruptedException {
        switch (fault) {
            case Fault.None none -> body.transferTo(toClient);
            case Fault.Status status -> throw new IllegalStateException("answered already");
            case Fault.Delay delay -> body.transferTo(toClient);
            case Fault.OtherRange other -> body.transferTo(toClient);
            case Fault.WithoutEtag without -> body.transferTo(toClient);
            case Fault.Truncate truncate -> pass(body, truncate.bytes());
            case Fault.Stall stall -> {
                pass(body, stall.bytes());
                // Waits until the client gives up and closes the connection.
                fromClient.transferTo(OutputStream.nullOutputStream());
            }
            case Fault.Slow slow -> {
                int step = Math.max(1, slow.bytesPerSecond() / TICKS_PER_SECOND);
                while (pass(body, step) > 0) {
                    Thread.sleep(1000 / TICKS_PER_SECOND);
                }
            }
            case Fault.Flip flip -> {
                pass(body, flip.at());
                int wrong = body.read();
                if (wrong >= 0) {
                    toClient.write(wrong ^ 1);
                }
                body.transferTo(toClient);
            }
            case Fault.Rewrite rewrite -> {
                String was = new String(body.readAllBytes(), StandardCharsets.ISO_8859_1);
                String is = rewrite.change().apply(was);
                if (is.length() != was.length()) {
                    throw new IllegalArgumentException("a body of another length");
                }
                toClient.write(is.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
    }

    private long pass(InputStream body, long bytes) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        long passed = 0;
        while (passed < bytes) {
            int read = body.read(buffer, 0, (int) Math.min(buffer.length, bytes - passed));
            if (read < 0) {
                break;
            }
            toClient.write(buffer, 0, read);
            passed += read;
        }
        return passed;
    }

    private void passBody(OutputStream toServer) {
        try {
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int n = fromClient.read(buffer); n >= 0; n = fromClient.read(buffer)) {
                toServer.write(buffer, 0, n);
            }
        } catch (IOException ended) {
            // The server has answered, and both connections are closed.
        }
    }

    private static String withoutKeepAlive(String head) {
        return head.lines()
                .filter(line -> !line.isEmpty())
                .filter(line -> !line.regionMatches(true, 0, "connection:", 0, 11))
                .collect(Collectors.joining("\r\n", "", "\r\nConnection: close\r\n\r\n"));
    }

    private static String readHead(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int matched = 0;
        while (matched < 4) {
            int b = in.read();
            if (b < 0) {
                return "";
            }
            head.write(b);
            matched = b == (matched % 2 == 0 ? '\r' : '\n') ? matched + 1 : b == '\r' ? 1 : 0;
            if (head.size() > HEAD_LIMIT_BYTES) {
                throw new IOException("a head of more than " + HEAD_LIMIT_BYTES + " bytes");
            }
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }
}
