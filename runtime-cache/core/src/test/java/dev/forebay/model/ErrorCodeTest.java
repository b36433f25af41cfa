package dev.forebay.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ErrorCodeTest {
    private static Set<ErrorCode> those(Predicate<ErrorCode> which) {
        return Arrays.stream(ErrorCode.values())
                .filter(which)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(ErrorCode.class)));
    }

    @Test
    void onlyTransientCodesAreRetryable() {
        assertThat(those(ErrorCode::retryable))
                .containsExactly(
                        ErrorCode.EVICTING,
                        ErrorCode.LAKE_UNAVAILABLE,
                        ErrorCode.CORRUPT,
                        ErrorCode.CAPACITY_EXCEEDED,
                        ErrorCode.BUDGET_SPENT,
                        ErrorCode.UNAVAILABLE,
                        ErrorCode.DEADLINE_EXCEEDED,
                        ErrorCode.INTERNAL);
    }

    @Test
    void onlyTwoCodesMayConcernASingleObject() {
        assertThat(those(ErrorCode::mayBeOfOneObject))
                .containsExactly(ErrorCode.LAKE_OBJECT_CHANGED, ErrorCode.LAKE_DENIED);
    }

    @Test
    void aGivenUpFailureIsNotRetryable() {
        ForebayException failure = new ForebayException(ErrorCode.UNAVAILABLE, "away");
        ForebayException givenUp =
                ForebayException.givenUp(ErrorCode.UNAVAILABLE, "away for an hour", failure);

        assertThat(failure.retryable()).isTrue();
        assertThat(givenUp.retryable()).isFalse();
        assertThat(givenUp.withMessage("more").retryable()).isFalse();
        assertThat(new ForebayException(ErrorCode.PINNED, "held").retryable()).isFalse();
    }

    @Test
    void anUnknownCodeOfALaterReleaseIsReadAsInternal() {
        assertThat(ErrorCode.named("PINNED")).isEqualTo(ErrorCode.PINNED);
        assertThat(ErrorCode.named("OF_A_LATER_RELEASE")).isEqualTo(ErrorCode.INTERNAL);
    }
}
