package dev.forebay.worker.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProblemTest {

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void everyErrorCodeHasAnErrorStatusAndKeepsItsName(ErrorCode code) {
        Problem problem = Problem.of(new ForebayException(code, "because"));

        assertThat(problem.status()).isBetween(400, 599);
        assertThat(problem.body().getString("code")).isEqualTo(code.name());
        assertThat(problem.body().getString("detail")).isEqualTo("because");
        assertThat(problem.body().getBoolean("retryable")).isEqualTo(code.retryable());
    }

    @Test
    void anInternalErrorHidesItsMessageFromTheClient() {
        JsonObject body = Problem.of(new IllegalStateException("secret")).body();

        assertThat(body.getInteger("status")).isEqualTo(500);
        assertThat(body.encode()).doesNotContain("secret");
    }

    @Test
    void aBusyRefusalSaysWhenToRetry() {
        Problem problem = Problem.of(Refusal.busy(7, Duration.ofMillis(200)));

        assertThat(problem.status()).isEqualTo(503);
        assertThat(problem.headers()).containsEntry("Retry-After", "1");
    }
}
