package dev.forebay.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.forebay.suite.SharedMachine.Moment;
import org.junit.jupiter.api.Test;

class SharedMachineTest {
    private static final Moment BEFORE = new Moment(0, 1000, 500, 50);

    @Test
    void theLimitGrowsWithTheProcessorTimeOfOthers() {
        assertThat(stretch(20, 20)).as("all is ours").isEqualTo(1);
        assertThat(stretch(20, 10)).as("half of the processors").isCloseTo(2, within(1e-9));
        assertThat(stretch(20, 0)).as("the maximum").isEqualTo(3);
        assertThat(stretch(5, 9)).as("the kernel counts in ticks").isEqualTo(1);
    }

    @Test
    void theLimitGrowsWithDiskStalls() {
        assertThat(stretch(10, 10, 5)).as("half of the time").isCloseTo(2, within(1e-9));
        assertThat(stretch(15, 5, 3)).as("stalls of the disk and other processes").isEqualTo(3);
    }

    @Test
    void ourProcessorTimeIncludesThisProcess() {
        SharedMachine machine = new SharedMachine();
        Moment before = machine.now();
        double sum = 0;
        Moment after = machine.now();
        while (after.ourSeconds() < before.ourSeconds() + 0.2) {
            sum += Math.sin(sum);
            after = machine.now();
        }
        assertThat(after.busySeconds() - before.busySeconds()).isGreaterThan(0.1);
    }

    /** Returns the factor after ten seconds on two processors. */
    private static double stretch(double busy, double ours) {
        return stretch(busy, ours, 0);
    }

    private static double stretch(double busy, double ours, double stalled) {
        Moment after = new Moment(10_000_000_000L, 1000 + busy, 500 + ours, 50 + stalled);
        return after.stretchSince(BEFORE, 2);
    }
}
