package dev.forebay.system;

import java.time.Duration;

/**
 * "Clocks that differ": the clocks of control plane and workers are ahead, the agent's is behind.
 */
class ClocksAheadIT extends DifferentClocks {

    ClocksAheadIT() {
        super("clocks-ahead", Duration.ofMinutes(1));
    }
}
