package dev.forebay.devstack.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Describes how to start and stop a process.
 *
 * @param name for messages, and for its log and pid files
 * @param directory its working directory, which holds its {@code <name>.log} and {@code <name>.pid}
 * @param command the program and its arguments; no secrets, because all users can read them
 * @param environment variables added to those of this JVM
 * @param ready tells whether it can be used
 * @param readyWithin the time limit for the start
 * @param stopSignal the signal that asks it to end, without {@code SIG}
 * @param stopWithin the time limit for the end after the signal, before it is killed
 * @param refusesRoot whether it refuses to run as root; it then gets a user namespace of its own
 * @param lifetime whether it outlives this JVM
 */
public record Launch(
        String name,
        Path directory,
        List<String> command,
        Map<String, String> environment,
        Readiness ready,
        Duration readyWithin,
        String stopSignal,
        Duration stopWithin,
        boolean refusesRoot,
        Lifetime lifetime) {
    /** Whether a process outlives the JVM that started it. */
    public enum Lifetime {
        /** It ends with this JVM, also if the JVM crashes. */
        THIS_JVM,
        /** It runs until a process stops it by its pid file. */
        UNTIL_STOPPED
    }

    public Launch {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
    }

    /**
     * Returns a launch with the usual limits: ready within 60 s, stopped by SIGTERM within 15 s.
     */
    public static Launch of(
            String name,
            Path directory,
            List<String> command,
            Map<String, String> environment,
            Readiness ready,
            Lifetime lifetime) {
        return new Launch(
                name,
                directory,
                command,
                environment,
                ready,
                Duration.ofSeconds(60),
                "TERM",
                Duration.ofSeconds(15),
                false,
                lifetime);
    }

    /** Returns the same launch with another time limit for the end after the signal. */
    public Launch stoppedWithin(Duration bound) {
        return stopped(stopSignal, bound, refusesRoot);
    }

    /** Returns the same launch for a program that refuses root and is stopped by this signal. */
    Launch neverAsRoot(String signal) {
        return stopped(signal, stopWithin, true);
    }

    private Launch stopped(String signal, Duration within, boolean neverAsRoot) {
        return new Launch(
                name,
                directory,
                command,
                environment,
                ready,
                readyWithin,
                signal,
                within,
                neverAsRoot,
                lifetime);
    }

    Path log() {
        return directory.resolve(name + ".log");
    }

    Path pidFile() {
        return directory.resolve(name + ".pid");
    }
}
