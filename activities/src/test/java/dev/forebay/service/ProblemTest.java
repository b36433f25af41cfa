package dev.forebay.service;

import static dev.forebay.model.ErrorCode.Category.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProblemTest {

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void everyCodeHasAMatchingStatus(ErrorCode code) {
        Problem problem = Problem.of(code, "because", null);

        assertThat(problem.status()).isBetween(400, code.category() == REFUSED ? 499 : 599);
        assertThat(problem.title()).isNotBlank();
        assertThat(problem.retryable()).isEqualTo(code.retryable());
        assertThat(Problem.of(new ForebayException(code, "because"))).isEqualTo(problem);
        assertThat(Problem.of(ForebayException.givenUp(code, "because", null)).retryable())
                .isFalse();
    }
}
