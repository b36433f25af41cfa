package dev.forebay.service.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.service.gateway.FillSpeed.Estimate;
import dev.forebay.service.gateway.FillSpeed.Spread;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FillSpeedTest {

    private static final long MIB = 1 << 20;
    private static final Spread OVERHEAD = new Spread(0.4, 0.6, 1);
    private static final Spread RATE = new Spread(8.0 * MIB, 16.0 * MIB, 32.0 * MIB);

    @Test
    void aFillOfNoBytesTakesNoTime() {
        assertThat(new FillSpeed(null, null).estimate(0, 3)).contains(Estimate.NOTHING);
    }

    @Test
    void aRegionWithoutFillsHasNoEstimate() {
        assertThat(new FillSpeed(null, null).estimate(1, 1)).isEmpty();
    }

    @Test
    void aRegionWithOnlySmallFillsEstimatesOnlySmallFills() {
        FillSpeed speed = new FillSpeed(null, OVERHEAD);

        assertThat(speed.estimate(1, 1)).contains(estimate(0, 1, 6));
        assertThat(speed.estimate(64 * MIB, 8)).isEmpty();
        assertThat(speed.estimate(100, 100)).as("many requests").isEmpty();
    }

    @Test
    void theEstimateAddsTheOverheadToTheTimeOfTheRate() {
        assertThat(new FillSpeed(RATE, OVERHEAD).estimate(64 * MIB, 0))
                .contains(estimate(2, 5, 14));
        assertThat(new FillSpeed(RATE, null).estimate(64 * MIB, 0)).contains(estimate(2, 4, 13));
    }

    @Test
    void manySmallObjectsTakeLongerThanOneLargeOne() {
        assertThat(new FillSpeed(RATE, null).estimate(1_000, 6_400))
                .contains(estimate(50, 101, 206));
    }

    private static Estimate estimate(long least, long likely, long most) {
        return new Estimate(
                Duration.ofSeconds(least), Duration.ofSeconds(likely), Duration.ofSeconds(most));
    }
}
