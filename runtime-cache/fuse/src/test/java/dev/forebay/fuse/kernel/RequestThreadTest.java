package dev.forebay.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.fs.EmptyTree;
import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Guard;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.kernel.FakeKernel.Answer;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.linux.SystemCallException;
import dev.forebay.model.ErrorCode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever asks has an answer, whatever fails, and so has who asks next. */
@SuppressWarnings("NullAway.Init") // served before each
class RequestThreadTest {

    /** More than there are threads that wait for requests. */
    private static final int ASKED = 10;

    @TempDir private Path directory;
    private final FakeKernel kernel = new FakeKernel();
    private volatile boolean fails = true;
    private KernelTransport transport;

    RequestThreadTest() throws SystemCallException {}

    /** Not guarded: what counts operations is what they pass before they are answered. */
    private final class FailingMeter implements OperationMeter {
        @Override
        public void ended(Operation operation, long nanos) {
            if (fails) {
                throw new OutOfMemoryError("simulated");
            }
        }

        @Override
        public void failed(Operation operation, ErrorCode code) {}
    }

    @BeforeEach
    void serve() {
        FuseDevice device =
                new FuseDevice(
                        List.of(kernel.device()), new Protocol(Protocol.NEWEST_MINOR, 0, 4096));
        transport =
                KernelTransport.serve(
                        EmptyTree.in(directory), new Guard(new FailingMeter()), device);
    }

    @AfterEach
    void close() throws Exception {
        transport.close();
        kernel.close();
    }

    private long lookUp() {
        return kernel.name(Opcode.LOOKUP, FileSystemView.ROOT, "none");
    }

    @Test
    void whatFailsIsAnErrorForWhoAskedAndForNobodyElse() throws Exception {
        for (int i = 0; i < ASKED; i++) {
            long failing = lookUp();
            assertThat(kernel.next()).isEqualTo(new Answer(failing, -Errno.EIO.number(), 0));
        }

        fails = false;
        long next = lookUp();
        assertThat(kernel.next()).isEqualTo(new Answer(next, -Errno.ENOENT.number(), 0));
        assertThat(kernel.rest()).as("second answers").isEmpty();
    }
}
