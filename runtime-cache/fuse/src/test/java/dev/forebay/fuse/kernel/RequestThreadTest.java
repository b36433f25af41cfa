package dev.forebay.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.fs.EmptyTree;
import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.FakeKernel.Answer;
import dev.forebay.fuse.kernel.device.FuseDevice;
import dev.forebay.fuse.kernel.device.Protocol;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.linux.SystemCallException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every request gets an answer, even after failures, and so does the next one. */
@SuppressWarnings("NullAway.Init") // served before each
class RequestThreadTest {

    /** More than there are threads that wait for requests. */
    private static final int ASKED = 10;

    private static final int REPLY_BYTES = 4096;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @TempDir private Path directory;
    private final FakeKernel kernel = new FakeKernel();
    private volatile boolean fails = true;
    private RequestThreads threads;

    RequestThreadTest() throws SystemCallException {}

    @BeforeEach
    void serve() {
        FileSystemView view = EmptyTree.in(directory);
        RememberedFiles files = new RememberedFiles(view);
        UpcallGuard guard = new UpcallGuard(OperationMeter.NONE);
        HandlerTable handlers = new HandlerTable();
        handlers.on(Opcode.LOOKUP, Operation.LOOKUP, (_, _) -> handle());
        FuseDevice device =
                new FuseDevice(
                        List.of(kernel.device()),
                        new Protocol(Protocol.NEWEST_MINOR, 0, REPLY_BYTES));
        threads =
                new RequestThreads(
                        view,
                        guard,
                        handlers,
                        new SlowReads(view, files, guard, REPLY_BYTES, TIMEOUT),
                        new SlowLookups(view, handlers, guard, TIMEOUT),
                        device);
        threads.start();
    }

    /**
     * Returns too long an answer if the test requires it. No guard catches that, because it is only
     * found when the answer is sent.
     */
    private int handle() {
        return fails ? REPLY_BYTES + 1 : 0;
    }

    @AfterEach
    void close() throws Exception {
        assertThat(threads.stop(TIMEOUT)).isTrue();
        kernel.close();
    }

    private long lookUp() {
        return kernel.name(Opcode.LOOKUP, FileSystemView.ROOT, "none");
    }

    @Test
    void aFailedRequestGetsAnErrorAndDoesNotAffectOthers() throws Exception {
        for (int i = 0; i < ASKED; i++) {
            long failing = lookUp();
            assertThat(kernel.next()).isEqualTo(new Answer(failing, -Errno.EIO.number(), 0));
        }

        fails = false;
        long next = lookUp();
        assertThat(kernel.next()).isEqualTo(new Answer(next, 0, 0));
        assertThat(kernel.rest()).as("second answers").isEmpty();
    }
}
