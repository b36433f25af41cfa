package dev.forebay.suite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuComparisonTest {
    private final CpuComparison pace = new CpuComparison();

    @Test
    void aSlowMachineGetsMoreTimeAndAFastOneNoLess() {
        pace.add(60, 90);
        assertThat(pace.stretch()).isEqualTo(1.5);
        pace.add(60, 10);
        assertThat(pace.ratio()).isLessThan(1);
        assertThat(pace.stretch()).isEqualTo(1);
        pace.add(0, 1_000);
        assertThat(pace.stretch()).as("the maximum").isEqualTo(2);
    }

    @Test
    void lessThanAMinuteOfTestsChangesNoLimit() {
        pace.add(59, 590);
        assertThat(pace.stretch()).isEqualTo(1);
    }
}
