package dev.forebay.system;

import java.time.Duration;

/** "Clocks that differ": the control plane's and the workers' are behind, the agent's is ahead. */
class ClocksBehindIT extends DifferentClocks {

    ClocksBehindIT() {
        super("clocks-behind", Duration.ofMinutes(-1));
    }
}
