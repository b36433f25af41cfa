package dev.forebay.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.FakeKernel.Answer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeferredRequestTest {

    private static final long UNIQUE = 1;

    /** The maximum number of bytes in an answer. */
    private static final int REPLY_BYTES = 16;

    @Test
    void anAnswerThatIsTooLongBecomesAnError() throws Exception {
        FakeKernel kernel = new FakeKernel();
        DeferredRequest deferred =
                new DeferredRequest(
                        new UpcallGuard(OperationMeter.NONE),
                        Operation.READ,
                        "/x",
                        kernel.device(),
                        UNIQUE,
                        Duration.ofMinutes(1));
        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                deferred.answer(
                                        new KernelReplies(REPLY_BYTES), () -> REPLY_BYTES + 1))
                .withMessage("a reply of 17 bytes, with a capacity of 16");
        assertThat(kernel.next()).isEqualTo(new Answer(UNIQUE, -Errno.EIO.number(), 0));
        kernel.close();
    }
}
