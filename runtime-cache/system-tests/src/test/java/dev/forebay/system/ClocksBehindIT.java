package dev.forebay.system;

import java.time.Duration;
import org.junit.jupiter.api.Tag;

/**
 * "Clocks that differ": the clocks of control plane and workers are behind, the agent's is ahead.
 */
@Tag("long")
class ClocksBehindIT extends DifferentClocks {

    /** A sweep is late by this duration, and tests wait for three sweeps. */
    private static final Duration BEHIND = Duration.ofSeconds(30);

    ClocksBehindIT() {
        super("clocks-behind", BEHIND.negated());
    }
}
