package dev.forebay.fuse.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UpcallGuardTest {

    private final List<String> events = new ArrayList<>();
    private final UpcallGuard guard =
            new UpcallGuard(
                    new OperationMeter() {
                        @Override
                        public void ended(Operation operation, long nanos) {
                            count(operation + " ended");
                        }

                        @Override
                        public void failed(Operation operation, ErrorCode code) {
                            count(operation + " " + code);
                        }
                    });

    private boolean meterFails;

    private void count(String event) {
        if (meterFails) {
            throw new StackOverflowError("simulated");
        }
        events.add(event);
    }

    private int run(UpcallGuard.Body body) {
        return guard.run(Operation.READ, "/x", body);
    }

    @Test
    void theGuardReturnsTheResultOfAnOperation() {
        assertThat(run(() -> 42)).isEqualTo(42);
        assertThat(events).containsExactly("READ ended");
    }

    @Test
    void anErrnoIsReturnedAndNotCountedAsAFailure() {
        UpcallGuard.Body body =
                () -> {
                    throw new FsException(Errno.ENOENT, "x");
                };
        assertThat(run(body)).isEqualTo(-2);
        assertThat(events).containsExactly("READ ended");
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void failuresAreCountedByErrorCode(ErrorCode code) {
        UpcallGuard.Body body =
                () -> {
                    throw new ForebayException(code, "x");
                };
        assertThat(run(body)).isEqualTo(code == ErrorCode.INVALID_ARGUMENT ? -22 : -5);
        assertThat(events).containsExactly("READ " + code, "READ ended");
    }

    @Test
    void anUnexpectedErrorDoesNotLeaveTheGuard() {
        UpcallGuard.Body body =
                () -> {
                    throw new StackOverflowError();
                };
        assertThat(run(body)).isEqualTo(-5);
        assertThat(events).containsExactly("READ INTERNAL", "READ ended");
    }

    /** Guards against a crash: an exception that leaves a callback of libfuse ends the process. */
    @Test
    void anErrorOfTheMeterDoesNotLeaveTheGuard() {
        meterFails = true;
        assertThat(run(() -> 42)).isEqualTo(42);
        UpcallGuard.Body notFound =
                () -> {
                    throw new FsException(Errno.ENOENT, "x");
                };
        assertThat(run(notFound)).isEqualTo(-2);
        UpcallGuard.Body refused =
                () -> {
                    throw new ForebayException(ErrorCode.INVALID_ARGUMENT, "x");
                };
        assertThat(run(refused)).isEqualTo(-22);

        meterFails = false;
        assertThat(run(() -> 42)).isEqualTo(42);
        assertThat(events).containsExactly("READ ended");
    }
}
