package dev.forebay.agent.fill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.service.gateway.FillSpeed.Spread;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FillRateTest {

    private static final long MIB = 1 << 20;
    private static final long ENOUGH = FillRate.ENOUGH_WORK;
    private static final double A_SECOND = (double) ENOUGH;

    private long nanos = -5;
    private final FillRate rate = new FillRate(() -> nanos);

    @Test
    void theRateIsUnknownBeforeTheFirstBytesAreFetched() {
        assertThat(rate.speed()).isEqualTo(new FillSpeed(null, null));
        fill(10, 0);
        assertThat(rate.speed()).isEqualTo(new FillSpeed(null, null));
    }

    @Test
    void smallFillsMeasureTheOverheadAndNotTheRate() {
        fill(0.5, 1);
        fill(0.7, 1);
        fill(0.6, 1);

        assertThat(rate.speed().rate()).isNull();
        assertThat(overhead().likely()).isEqualTo(0.6);
        assertThat(overhead().least()).isLessThan(0.5);
        assertThat(overhead().most()).isGreaterThan(0.7);
    }

    @Test
    void smallFillsDoNotChangeAKnownRate() {
        fill(1, ENOUGH);
        Spread before = measured();

        for (int i = 0; i < 100; i++) {
            fill(1, 1);
        }

        assertThat(rate.speed().rate()).isEqualTo(before);
    }

    /** Each of these fills takes two seconds to begin, and one for its bytes. */
    @Test
    void theRateOfMediumFillsDoesNotIncludeTheirOverhead() {
        fill(2, 1);

        for (int i = 0; i < 4; i++) {
            fill(3, ENOUGH / 4);
        }

        assertThat(measured().likely()).isEqualTo(ENOUGH / 4.0);
    }

    @Test
    void anOverheadLongerThanAFillGivesNoEndlessRate() {
        fill(5, 1);
        fill(1, ENOUGH);
        assertThat(measured().likely()).isEqualTo(10 * A_SECOND);
    }

    @Test
    void concurrentFillsShareTheirTime() {
        rate.begun();
        rate.begun();
        pass(1);
        rate.ended(ENOUGH, 0);
        pass(1);
        rate.ended(3 * ENOUGH, 0);

        assertThat(measured().likely()).isEqualTo(2.0 * ENOUGH);
    }

    @Test
    void requestsCountAsWork() {
        rate.begun();
        pass(1);
        rate.ended(1_000, ENOUGH / FillSpeed.REQUEST_BYTES);

        assertThat(measured().likely()).isEqualTo(ENOUGH + 1_000.0);
    }

    @Test
    void idleTimeDoesNotCount() {
        fill(1, ENOUGH / 2);
        assertThat(rate.speed().rate()).isNull();
        pass(100_000);
        fill(1, ENOUGH / 2);

        assertThat(measured().likely()).isEqualTo(ENOUGH / 2.0);
    }

    @Test
    void theLastChunksOfALongFillAreNotMeasuredAlone() {
        int chunks = 16;
        for (int i = 0; i < chunks; i++) {
            rate.begun();
        }
        pass(20);
        for (int i = 0; i < chunks; i++) {
            rate.ended(8 * MIB, 1);
            nanos += TimeUnit.MILLISECONDS.toNanos(1);
        }

        double all = chunks * (8.0 * MIB + FillSpeed.REQUEST_BYTES);
        assertThat(measured().most()).isLessThan(2.1 * all / 20);
    }

    @Test
    void aLakeOutageIsOneMeasurementAmongMany() {
        for (int i = 0; i < 9; i++) {
            fill(1, ENOUGH);
        }
        fill(3_600, ENOUGH);

        assertThat(measured().likely()).isEqualTo(A_SECOND);
        assertThat(measured().least()).isLessThan(ENOUGH / 3_600.0);
    }

    @Test
    void theRangeNarrowsWithMoreMeasurements() {
        fill(1, ENOUGH);
        assertThat(measured()).isEqualTo(new Spread(A_SECOND / 2, A_SECOND, A_SECOND * 2));
        for (int i = 0; i < 9; i++) {
            fill(1, ENOUGH);
        }
        assertThat(measured()).isEqualTo(new Spread(A_SECOND / 1.1, A_SECOND, A_SECOND * 1.1));
    }

    @Test
    void theRateForgetsOldMeasurements() {
        for (int i = 0; i < 100; i++) {
            fill(1, ENOUGH);
        }
        for (int i = 0; i < 100; i++) {
            fill(10, ENOUGH);
        }

        assertThat(measured().likely()).isEqualTo(ENOUGH / 10.0);
        assertThat(measured().most()).isLessThan(A_SECOND);
    }

    private void fill(double seconds, long bytes) {
        rate.begun();
        nanos += Math.round(seconds * TimeUnit.SECONDS.toNanos(1));
        rate.ended(bytes, 0);
    }

    private Spread measured() {
        return known(rate.speed().rate());
    }

    private Spread overhead() {
        return known(rate.speed().overhead());
    }

    private static Spread known(@Nullable Spread spread) {
        return Objects.requireNonNull(spread);
    }

    private void pass(long seconds) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
    }
}
