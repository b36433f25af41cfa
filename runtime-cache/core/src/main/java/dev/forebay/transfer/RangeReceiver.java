package dev.forebay.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Receives the range of an answer into a buffer of the caller. Other threads may read its progress
 * meanwhile.
 */
final class RangeReceiver {

    private static final int MAX_PROBLEM_BYTES = 1 << 20;

    private final ByteBuffer target;
    private volatile int received;
    private volatile byte[] problem = {};
    private volatile long beganNanos;
    private volatile boolean began;

    /**
     * @param target the buffer for the range, with exactly its length remaining
     */
    RangeReceiver(ByteBuffer target) {
        this.target = target.slice();
    }

    /** Receives the whole body of an answer. The thread of the {@link RangeFetch} calls it once. */
    void receive(HttpHead head, HttpConnection.Body body) throws IOException {
        beganNanos = System.nanoTime();
        began = true;
        if (head.status() != 206) {
            problem = all(body);
            return;
        }
        while (!body.ended()) {
            if (!target.hasRemaining()) {
                throw new ProtocolViolationException("sent more bytes than requested");
            }
            body.read(target);
            received = target.position();
        }
    }

    /** Returns the nanoseconds since the answer's head arrived, or 0 if it has not arrived. */
    long nanos() {
        return began ? Math.max(1, System.nanoTime() - beganNanos) : 0;
    }

    /** Returns the bytes of the range that have arrived. */
    ByteBuffer received() {
        return target.slice(0, received);
    }

    /** Returns the body of a refusal. */
    byte[] problem() {
        return problem;
    }

    private static byte[] all(HttpConnection.Body body) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(4 << 10);
        while (!body.ended()) {
            if (!bytes.hasRemaining()) {
                if (bytes.capacity() >= MAX_PROBLEM_BYTES) {
                    throw new ProtocolViolationException("sent an error response that is too long");
                }
                bytes = ByteBuffer.allocate(2 * bytes.capacity()).put(bytes.flip());
            }
            body.read(bytes);
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }
}
