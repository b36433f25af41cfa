package dev.forebay.devstack.fault;

import dev.forebay.devstack.tool.Toolbox;
import java.time.Duration;
import java.util.List;

/**
 * A clock that is wrong: what a process takes for the time of day, and nothing else. How long
 * something takes it measures as rightly as all others.
 */
public final class WrongClock {

    private WrongClock() {}

    /**
     * What has to go before the command of a JVM; nothing for a clock that is right.
     *
     * @param by how far its clock is ahead of this machine's, in whole seconds; behind if negative
     */
    public static List<String> ahead(Duration by) {
        if (by.isZero()) {
            return List.of();
        }
        return List.of(
                // Not in the environment of the programs that become the JVM: each that loads the
                // library leaves files in /dev/shm unless it ends as what it was.
                "env",
                "LD_PRELOAD=" + Toolbox.ofThisMachine().libfaketime(),
                "FAKETIME=%+d".formatted(by.toSeconds()),
                "FAKETIME_DONT_FAKE_MONOTONIC=1",
                // By itself the library shifts the ends of waits, too, and not the clock that they
                // are measured by: all waits of the JVM would be over at once.
                "FAKETIME_FORCE_MONOTONIC_FIX=0",
                // What a process writes as the time of a file is what it reads.
                "NO_FAKE_STAT=1");
    }
}
