package dev.forebay.devstack.fault;

import dev.forebay.devstack.tool.Toolbox;
import java.time.Duration;
import java.util.List;

/** Runs a process with a wrong time of day. The process still measures durations correctly. */
public final class WrongClock {

    private WrongClock() {}

    /**
     * Returns the prefix for the command of a JVM; empty for a clock that is right.
     *
     * @param by how far its clock is ahead of this machine's, in whole seconds; behind if negative
     */
    public static List<String> ahead(Duration by) {
        if (by.isZero()) {
            return List.of();
        }
        return List.of(
                // Set by env only for the JVM, not for the programs that exec it: a program that
                // loads the library leaves files in /dev/shm unless it exits by itself.
                "env",
                "LD_PRELOAD=" + Toolbox.ofThisMachine().libfaketime(),
                "FAKETIME=%+d".formatted(by.toSeconds()),
                "FAKETIME_DONT_FAKE_MONOTONIC=1",
                // By default the library also shifts the ends of waits, but not the clock that
                // measures them. All waits of the JVM would then end at once.
                "FAKETIME_FORCE_MONOTONIC_FIX=0",
                // The process reads the file times that it has written.
                "NO_FAKE_STAT=1");
    }
}
