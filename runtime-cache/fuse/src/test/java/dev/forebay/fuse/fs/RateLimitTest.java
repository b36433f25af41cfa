package dev.forebay.fuse.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimitTest {

    private static final long PERIOD_SECONDS = 60;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(PERIOD_SECONDS);

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final RateLimit limit = new RateLimit(2, PERIOD_SECONDS, now::get);

    @Test
    void theLimitPermitsItsNumberOfEventsPerPeriod() {
        assertThat(limit.permits()).isTrue();
        assertThat(limit.permits()).isTrue();
        assertThat(limit.permits()).isFalse();
        now.addAndGet(PERIOD_NANOS);
        assertThat(limit.permits()).as("at the end of the period").isFalse();
    }

    @Test
    void aNewPeriodBeginsWithTheFirstEventAfterTheLastPeriod() {
        assertThat(limit.permits()).isTrue();
        assertThat(limit.permits()).isTrue();
        now.addAndGet(PERIOD_NANOS + 1);
        assertThat(limit.permits()).isTrue();
        now.addAndGet(PERIOD_NANOS);
        assertThat(limit.permits()).isTrue();
        assertThat(limit.permits()).isFalse();
    }
}
