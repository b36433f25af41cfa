package dev.forebay.devstack.stack;

import java.time.Duration;

/**
 * How far the clocks of a stack's own processes are ahead of this machine's, in whole seconds;
 * behind if negative. All others have this machine's.
 */
public record Clocks(Duration controlPlane, Duration agents, Duration workers) {

    /** All right. */
    public static final Clocks RIGHT = new Clocks(Duration.ZERO, Duration.ZERO, Duration.ZERO);
}
