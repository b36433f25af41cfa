package dev.forebay.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OneTimeWarningTest {

    @Test
    void aWarningIsDueOnceAfterTheToleratedTime() {
        AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);
        OneTimeWarning silence = new OneTimeWarning(Duration.ofSeconds(15), now::get);

        assertThat(silence.isWorthAWarning()).isFalse();
        now.addAndGet(Duration.ofSeconds(14).toNanos());
        assertThat(silence.isWorthAWarning()).isFalse();
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(silence.isWorthAWarning()).isTrue();
        now.addAndGet(Duration.ofSeconds(60).toNanos());
        assertThat(silence.isWorthAWarning()).isFalse();
    }
}
