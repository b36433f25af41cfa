package dev.forebay.fuse.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.kernel.protocol.ReadRequest;
import dev.forebay.fuse.kernel.protocol.ReplyHeader;
import dev.forebay.fuse.kernel.protocol.RequestHeader;
import dev.forebay.fuse.linux.UnixSocket;
import dev.forebay.linux.CallState;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.SystemCallException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The kernel's end of a device: sends requests and receives answers. */
final class FakeKernel {

    private static final long TIMEOUT_SECONDS = 30;
    private static final int BUFFER_BYTES = 256 << 10;

    /**
     * An answer.
     *
     * @param error 0 or a negative error number
     * @param bytes the number of bytes after the header
     */
    record Answer(long unique, int error, int bytes) {}

    private final Descriptor device;
    private final Descriptor end;
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private final MemorySegment request = Arena.ofAuto().allocate(4096, Long.BYTES);
    private final CallState state = new CallState();
    private final Thread reader = Thread.ofPlatform().daemon().unstarted(this::takeAnswers);
    private long unique;

    FakeKernel() throws SystemCallException {
        List<Descriptor> ends = UnixSocket.pair();
        device = ends.getFirst();
        end = ends.getLast();
        reader.start();
    }

    /** Returns the descriptor that requests are read from, and answers written to. */
    Descriptor device() {
        return device;
    }

    private void takeAnswers() {
        MemorySegment answer = Arena.ofAuto().allocate(BUFFER_BYTES, Long.BYTES);
        CallState ofReads = new CallState();
        while (end.read(answer, ofReads) > 0) {
            int length = answer.get(JAVA_INT, 0);
            answers.add(
                    new Answer(
                            answer.get(JAVA_LONG, 8),
                            answer.get(JAVA_INT, 4),
                            length - ReplyHeader.BYTES));
        }
    }

    /** Writes a request for bytes or names into memory. */
    static void writeRead(MemorySegment memory, int opcode, long unique, long node, int size) {
        RequestHeader.write(memory, RequestHeader.BYTES + ReadRequest.BYTES, opcode, unique, node);
        ReadRequest.write(memory, 0, size);
    }

    /** Requests bytes of a file or names in a directory, and returns the request's number. */
    long read(int opcode, long node, int size) {
        unique++;
        writeRead(request, opcode, unique, node, size);
        send(RequestHeader.BYTES + ReadRequest.BYTES);
        return unique;
    }

    /** Requests a name in a directory, and returns the request's number. */
    long name(int opcode, long node, String name) {
        unique++;
        byte[] bytes = (name + '\0').getBytes(StandardCharsets.UTF_8);
        RequestHeader.write(request, RequestHeader.BYTES + bytes.length, opcode, unique, node);
        MemorySegment.copy(bytes, 0, request, JAVA_BYTE, RequestHeader.BYTES, bytes.length);
        send(RequestHeader.BYTES + bytes.length);
        return unique;
    }

    private void send(int length) {
        assertThat(end.write(request, length, state)).as("sent").isEqualTo(length);
    }

    /** Returns the next answer. */
    Answer next() throws InterruptedException {
        Answer answer = answers.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        assertThat(answer).as("an answer within %d s", TIMEOUT_SECONDS).isNotNull();
        return Objects.requireNonNull(answer);
    }

    /** Returns the answers that have not been taken yet. */
    List<Answer> rest() {
        List<Answer> rest = new ArrayList<>();
        answers.drainTo(rest);
        return rest;
    }

    /** Call it when no thread uses the device any more. */
    void close() throws InterruptedException {
        device.close();
        reader.join();
        end.close();
    }
}
