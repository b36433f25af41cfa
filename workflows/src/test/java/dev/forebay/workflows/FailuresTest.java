package dev.forebay.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.workflows.message.Problem;
import io.temporal.api.enums.v1.RetryState;
import io.temporal.api.enums.v1.TimeoutType;
import io.temporal.api.failure.v1.Failure;
import io.temporal.api.failure.v1.TimeoutFailureInfo;
import io.temporal.common.converter.DefaultDataConverter;
import io.temporal.failure.ActivityFailure;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.TemporalFailure;
import io.temporal.failure.TimeoutFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailuresTest {

    @ParameterizedTest
    @EnumSource
    void everyCodeSurvivesTheConversionToATemporalFailure(ErrorCode code) {
        ApplicationFailure failure = Failures.of(new ForebayException(code, "it is so"));
        assertThat(failure.getType()).isEqualTo(code.name());
        assertThat(failure.isNonRetryable()).isEqualTo(!code.retryable());
        assertThat(Failures.problem(new IllegalStateException(failure)))
                .isEqualTo(new Problem(code, "it is so"));
        assertThat(Failures.exception(failure).code()).isEqualTo(code);
    }

    @Test
    void aRefusalIsNeverRetried() {
        assertThat(Failures.refusal(ErrorCode.UNAVAILABLE, "no").isNonRetryable()).isTrue();
    }

    @Test
    void aGivenUpFailureIsNotRetryable() {
        Problem problem = new Problem(ErrorCode.UNAVAILABLE, "no worker came");
        Throwable received = received(Failures.givenUp(problem));

        assertThat(Failures.exception(new IllegalStateException(received)).retryable()).isFalse();
        assertThat(Failures.problem(received)).isEqualTo(problem);
        assertThat(Failures.exception(received(Failures.refusal(problem))).retryable()).isTrue();
    }

    /** Returns the failure as a client receives it from Temporal. */
    private static Throwable received(ApplicationFailure failure) {
        DefaultDataConverter converter = DefaultDataConverter.newDefaultInstance();
        return converter.failureToException(converter.exceptionToFailure(failure));
    }

    @Test
    void onlyAnAnswerCountsAsARefusal() {
        TimeoutFailure late =
                new TimeoutFailure("late", null, TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE);
        ApplicationFailure no = Failures.refusal(ErrorCode.UNAVAILABLE, "no");

        assertThat(Failures.isRefusal(ended(RetryState.RETRY_STATE_NON_RETRYABLE_FAILURE, no)))
                .isTrue();
        assertThat(Failures.isRefusal(ended(RetryState.RETRY_STATE_TIMEOUT, no))).isFalse();
        assertThat(Failures.isRefusal(ended(RetryState.RETRY_STATE_NON_RETRYABLE_FAILURE, late)))
                .isFalse();
    }

    private static ActivityFailure ended(RetryState state, Throwable cause) {
        return new ActivityFailure("ended", 5, 6, "Admit", "1", state, "agent", cause);
    }

    @Test
    void aTimeoutReportsTheFailureOfItsLastAttempt() {
        TimeoutFailure alone =
                new TimeoutFailure("late", null, TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE);
        assertThat(Failures.problem(alone).code()).isEqualTo(ErrorCode.UNAVAILABLE);

        Throwable withCause = timeOut(Failures.refusal(ErrorCode.CAPACITY_EXCEEDED, "full"));
        assertThat(Failures.problem(withCause))
                .isEqualTo(new Problem(ErrorCode.CAPACITY_EXCEEDED, "full"));
    }

    @Test
    void anUnknownFailureIsReportedAsInternal() {
        TemporalFailure foreign = ApplicationFailure.newFailure("boom", "java.lang.Boom");
        assertThat(Failures.problem(foreign)).isEqualTo(new Problem(ErrorCode.INTERNAL, "boom"));
        assertThat(Failures.problem(new IllegalStateException()).message())
                .isEqualTo("IllegalStateException");
    }

    /**
     * Returns the failure that a server creates after the last attempt of an activity has failed.
     */
    private static Throwable timeOut(ApplicationFailure last) {
        DefaultDataConverter converter = DefaultDataConverter.newDefaultInstance();
        return converter.failureToException(
                Failure.newBuilder()
                        .setMessage("late")
                        .setTimeoutFailureInfo(
                                TimeoutFailureInfo.newBuilder()
                                        .setTimeoutType(TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE))
                        .setCause(converter.exceptionToFailure(last))
                        .build());
    }
}
