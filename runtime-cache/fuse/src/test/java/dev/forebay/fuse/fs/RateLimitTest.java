package dev.forebay.fuse.fs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateLimitTest {
    @Test
    void permitsAsManyEventsAsAPeriodMayHave() {
        RateLimit limit = new RateLimit(2, 3_600);

        assertThat(limit.permits()).isTrue();
        assertThat(limit.permits()).isTrue();
        assertThat(limit.permits()).isFalse();
        assertThat(limit.permits()).isFalse();
    }

    @Test
    void aNewPeriodBeginsAnew() {
        RateLimit limit = new RateLimit(1, 0);

        assertThat(limit.permits()).isTrue();
        long before = System.nanoTime();
        while (System.nanoTime() == before) {
            Thread.onSpinWait();
        }
        assertThat(limit.permits()).isTrue();
    }
}
