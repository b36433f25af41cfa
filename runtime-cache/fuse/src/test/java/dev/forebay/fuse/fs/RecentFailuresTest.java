package dev.forebay.fuse.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RecentFailuresTest {

    private static final String FILE = "file";
    private static final long LATER = System.nanoTime() + 30_000_000_000L;
    private static final long SOON = LATER - 10_000_000_000L;

    private final AtomicLong now = new AtomicLong(System.nanoTime());
    private final RecentFailures failures = new RecentFailures(now::get);

    @Test
    void aReadThatOverlapsAFailureGetsTheEarliestDeadline() {
        failures.add(FILE, 4096, 8192, SOON);
        failures.add(FILE, 0, 65_536, LATER);
        assertThat(failures.deadline(FILE, 12_287, 1, LATER + 1)).isEqualTo(SOON);
        assertThat(failures.deadline(FILE, 0, 4097, LATER + 1)).isEqualTo(SOON);
        assertThat(failures.deadline(FILE, 4096, 1, SOON - 1)).isEqualTo(SOON - 1);
    }

    @Test
    void otherReadsKeepTheirOwnDeadline() {
        failures.add(FILE, 4096, 8192, SOON);
        assertThat(failures.deadline(FILE, 0, 4096, LATER)).isEqualTo(LATER);
        assertThat(failures.deadline(FILE, 12_288, 4096, LATER)).isEqualTo(LATER);
        assertThat(failures.deadline("other", 4096, 8192, LATER)).isEqualTo(LATER);
    }

    @Test
    void aFailureIsForgottenAfterTwoSeconds() {
        failures.add(FILE, 0, 4096, SOON);
        now.addAndGet(RecentFailures.NANOS);
        failures.add(FILE, 8192, 4096, SOON);
        assertThat(failures.deadline(FILE, 0, 4096, LATER)).isEqualTo(SOON);

        now.incrementAndGet();

        assertThat(failures.deadline(FILE, 0, 4096, LATER)).isEqualTo(LATER);
        assertThat(failures.deadline(FILE, 8192, 4096, LATER)).isEqualTo(SOON);
    }

    @Test
    void theOldestOfTooManyFailuresIsForgotten() {
        for (int i = 0; i <= RecentFailures.MOST; i++) {
            failures.add(FILE, i * 4096L, 4096, SOON);
        }
        assertThat(failures.deadline(FILE, 0, 4096, LATER)).isEqualTo(LATER);
        assertThat(failures.deadline(FILE, 4096, 4096, LATER)).isEqualTo(SOON);
    }
}
