package dev.forebay.system;

import java.time.Duration;

/** "Clocks that differ": the control plane's and the workers' are ahead, the agent's is behind. */
class ClocksAheadIT extends DifferentClocks {

    ClocksAheadIT() {
        super("clocks-ahead", Duration.ofMinutes(1));
    }
}
