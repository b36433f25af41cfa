package dev.forebay.devstack.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A proxy that makes a server seem far away, like an object store in another region. Requests
 * arrive a round trip later, and a new connection takes another round trip. Each connection has its
 * own rate for answers, so connections do not slow each other down. Binds to loopback. Thread-safe.
 */
public final class LatencyProxy implements AutoCloseable {

    private static final int SEGMENT_BYTES = 128 << 10;

    /** The limit for one connection, so that a client that sends a lot eventually blocks. */
    private static final int SEGMENTS_UNDER_WAY = 256;

    /**
     * How far a late thread catches up, so that a busy machine does not slow the connection down.
     */
    private static final long LATENESS_MADE_UP_FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final InetSocketAddress server;
    private final Duration roundTrip;
    private final long bytesPerSecond;
    private final LoopbackListener listener = new LoopbackListener();

    /** Bytes on their way to the server. An empty segment is the end. */
    private record Segment(ByteBuffer bytes, long due) {
        static final Segment END = new Segment(ByteBuffer.allocate(0), 0);
    }

    private LatencyProxy(InetSocketAddress server, Duration roundTrip, long bytesPerSecond) {
        this.server = server;
        this.roundTrip = roundTrip;
        this.bytesPerSecond = bytesPerSecond;
    }

    /**
     * Starts a proxy for a server, on a free port.
     *
     * @param bytesPerSecond of the answers of one connection
     */
    public static LatencyProxy before(URI server, Duration roundTrip, long bytesPerSecond) {
        InetSocketAddress address = new InetSocketAddress(server.getHost(), server.getPort());
        LatencyProxy distance = new LatencyProxy(address, roundTrip, bytesPerSecond);
        distance.listener.begin("distance", distance::serve);
        return distance;
    }

    /** Returns the address for clients. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + listener.port());
    }

    private void serve(Socket client, Socket upstream) throws IOException, InterruptedException {
        Thread.sleep(roundTrip);
        upstream.connect(server);
        client.setTcpNoDelay(true);
        upstream.setTcpNoDelay(true);
        BlockingQueue<Segment> underWay = new ArrayBlockingQueue<>(SEGMENTS_UNDER_WAY);
        Thread sent = Thread.ofVirtual().start(() -> send(client, underWay));
        Thread arrived = Thread.ofVirtual().start(() -> arrive(underWay, upstream));
        answer(upstream, client);
        client.close();
        sent.join();
        arrived.interrupt();
    }

    private void send(Socket client, BlockingQueue<Segment> underWay) {
        try {
            InputStream in = client.getInputStream();
            byte[] buffer = new byte[SEGMENT_BYTES];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                underWay.put(
                        new Segment(
                                ByteBuffer.wrap(Arrays.copyOf(buffer, n)),
                                System.nanoTime() + roundTrip.toNanos()));
            }
            underWay.put(Segment.END);
        } catch (IOException | InterruptedException broken) {
            // The broken connection also ends the answer.
            underWay.offer(Segment.END);
        }
    }

    private static void arrive(BlockingQueue<Segment> underWay, Socket upstream) {
        try (upstream) {
            OutputStream out = upstream.getOutputStream();
            for (Segment next = underWay.take();
                    next.bytes().hasRemaining();
                    next = underWay.take()) {
                TimeUnit.NANOSECONDS.sleep(next.due() - System.nanoTime());
                out.write(next.bytes().array());
            }
        } catch (IOException | InterruptedException broken) {
            // The broken connection also ends the answer.
        }
    }

    private void answer(Socket upstream, Socket client) throws IOException, InterruptedException {
        InputStream in = upstream.getInputStream();
        OutputStream out = client.getOutputStream();
        byte[] buffer = new byte[SEGMENT_BYTES];
        long due = System.nanoTime();
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            due =
                    Math.max(due, System.nanoTime() - LATENESS_MADE_UP_FOR_NANOS)
                            + n * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
            TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
            out.write(buffer, 0, n);
        }
    }

    @Override
    public void close() {
        listener.close();
    }
}
