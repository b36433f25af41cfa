package dev.forebay.devstack.stack;

import java.time.Duration;

/**
 * How far the clocks of Forebay's processes are ahead of this machine's, in whole seconds; behind
 * if negative. Other servers have this machine's clock.
 */
public record Clocks(Duration controlPlane, Duration agents, Duration workers) {

    /** No clock differs. */
    public static final Clocks RIGHT = new Clocks(Duration.ZERO, Duration.ZERO, Duration.ZERO);
}
