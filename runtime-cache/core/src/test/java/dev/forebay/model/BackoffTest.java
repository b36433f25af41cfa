package dev.forebay.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private static final Backoff BACKOFF =
            new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(5));

    @Test
    void pausesDoubleUpToTheLimit() {
        assertThat(IntStream.rangeClosed(1, 5).mapToObj(BACKOFF::after))
                .extracting(Duration::toSeconds)
                .containsExactly(1L, 2L, 4L, 5L, 5L);
        assertThat(BACKOFF.after(Integer.MAX_VALUE)).isEqualTo(BACKOFF.longest());
        assertThat(BACKOFF.following(Duration.ofSeconds(2))).isEqualTo(Duration.ofSeconds(4));
        assertThat(BACKOFF.following(Duration.ofSeconds(4))).isEqualTo(BACKOFF.longest());
    }

    @Test
    void aFirstPauseAboveTheLimitIsTheLimit() {
        assertThat(new Backoff(Duration.ofSeconds(9), Duration.ofSeconds(5)).after(1))
                .isEqualTo(Duration.ofSeconds(5));
    }
}
