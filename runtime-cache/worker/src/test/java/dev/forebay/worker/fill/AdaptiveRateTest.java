package dev.forebay.worker.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class AdaptiveRateTest {

    private static final long SECOND = 1_000_000_000L;

    /** Near the maximum, because {@link System#nanoTime} may wrap. */
    private static final long START = Math.subtractExact(Long.MAX_VALUE, 5 * SECOND);

    private final AdaptiveRate rate = new AdaptiveRate(600, START);

    @Test
    void theRateStartsAtItsCeilingAndStaysThere() {
        assertThat(rate.at(START)).isEqualTo(600);
        assertThat(rate.at(START + 100 * SECOND)).isEqualTo(600);
    }

    @Test
    void aBurstOfThrottledRequestsHalvesTheRateOnce() {
        for (int i = 0; i < 50; i++) {
            rate.throttled(START + i);
        }
        assertThat(rate.at(START + 50)).isCloseTo(300, within(0.1));
        rate.throttled(START + SECOND / 2);
        assertThat(rate.at(START + SECOND / 2)).isCloseTo(152, within(1.0));
    }

    @Test
    void theRateNeverFallsBelowOneAndRecoversWithinAMinute() {
        for (int i = 0; i < 100; i++) {
            rate.throttled(START + i * SECOND / 4);
        }
        long last = START + 25 * SECOND;
        assertThat(rate.at(last)).isBetween(1.0, 10.0);
        assertThat(rate.at(last + 30 * SECOND)).isBetween(300.0, 320.0);
        assertThat(rate.at(last + 60 * SECOND)).isEqualTo(600);
    }

    @Test
    void aNewCeilingKeepsTheRateThatThrottlingSet() {
        rate.ceiling(200, START);
        assertThat(rate.at(START)).isEqualTo(200);
        rate.ceiling(600, START + SECOND);
        assertThat(rate.at(START + SECOND)).as("the rate without throttling").isEqualTo(600);
        rate.throttled(START + 2 * SECOND);
        rate.ceiling(1200, START + 2 * SECOND);
        assertThat(rate.at(START + 2 * SECOND)).isEqualTo(300);
        rate.throttled(START + 2 * SECOND);
        assertThat(rate.at(START + 2 * SECOND))
                .as("a request sent before the rate was halved")
                .isEqualTo(300);
    }
}
