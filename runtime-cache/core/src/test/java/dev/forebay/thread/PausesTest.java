package dev.forebay.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class PausesTest {

    private static final Duration PAUSE = Duration.ofSeconds(4);

    @RepeatedTest(20)
    void aRandomPauseIsAPartOfThePause() {
        assertThat(Pauses.random(PAUSE, 0.5)).isBetween(PAUSE.dividedBy(2), PAUSE);
        assertThat(Pauses.random(PAUSE, 0)).isBetween(Duration.ZERO, PAUSE);
        assertThat(Pauses.random(Duration.ZERO, 0)).isZero();
    }

    @Test
    void anInterruptedSleepThrows() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Pauses.sleep(Duration.ofDays(1)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(Thread.interrupted()).isTrue();
    }
}
