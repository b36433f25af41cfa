package dev.forebay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FillRateTest {

    private long nanos = -5;
    private final FillRate rate = new FillRate(() -> nanos);

    @Test
    void nothingIsKnownBeforeSomethingWasFetched() {
        assertThat(rate.bytesPerSecond()).isEmpty();
        rate.begun();
        pass(10);
        rate.ended(0);
        assertThat(rate.bytesPerSecond()).isEmpty();
    }

    @Test
    void chunksThatAreFilledAtOnceShareTheTime() {
        rate.begun();
        rate.begun();
        pass(1);
        rate.ended(1_000);
        pass(1);
        rate.ended(3_000);

        assertThat(rate.bytesPerSecond().orElseThrow()).isBetween(1_990L, 2_010L);
    }

    @Test
    void timeInWhichNothingIsFilledDoesNotCount() {
        rate.begun();
        pass(1);
        rate.ended(500);
        pass(100_000);
        rate.begun();
        pass(1);
        rate.ended(500);

        assertThat(rate.bytesPerSecond().orElseThrow()).isBetween(499L, 501L);
    }

    @Test
    void whatIsLongAgoIsForgotten() {
        for (int second = 0; second < 600; second++) {
            rate.begun();
            pass(1);
            rate.ended(1_000_000);
        }
        for (int second = 0; second < 6_000; second++) {
            rate.begun();
            pass(1);
            rate.ended(10);
        }

        assertThat(rate.bytesPerSecond().orElseThrow()).isBetween(9L, 12L);
    }

    private void pass(long seconds) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
    }
}
