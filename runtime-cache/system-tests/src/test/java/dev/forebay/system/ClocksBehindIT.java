package dev.forebay.system;

import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** "Clocks that differ": the control plane's and the workers' are behind, the agent's is ahead. */
@Tag("long")
class ClocksBehindIT extends DifferentClocks {

    /** A sweep is late by as much, and tests wait for three. */
    private static final Duration BEHIND = Duration.ofSeconds(30);

    ClocksBehindIT() {
        super("clocks-behind", BEHIND.negated());
    }
}
