package dev.forebay.devstack.server;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Sends signals to processes. Java itself supports only TERM and KILL. */
final class Signals {
    private static final Duration GONE_WITHIN = Duration.ofSeconds(10);
    private static final Duration STOPPED_WITHIN = Duration.ofSeconds(10);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration POLL = Duration.ofMillis(10);

    private Signals() {}

    /** Sends a signal. A process that has ended is no error. */
    static void send(long pid, String signal) {
        try {
            // The kill of the shell, because not every machine has a program of that name.
            new ProcessBuilder("/bin/sh", "-c", "kill -\"$0\" \"$1\"", signal, Long.toString(pid))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new DevstackException("cannot send SIG" + signal + " to process " + pid, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Stops a process by SIGSTOP, and returns when all its threads have stopped. The kernel has one
     * thread stop the others, which continue until that thread runs.
     *
     * @throws DevstackException if the process does not stop in time
     */
    static void pause(long pid) {
        send(pid, "STOP");
        long deadline = System.nanoTime() + STOPPED_WITHIN.toNanos();
        while (!ProcessIdentity.isStopped(pid)) {
            if (System.nanoTime() - deadline > 0) {
                throw new DevstackException("process " + pid + " still runs after SIGSTOP");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /**
     * Asks a process to end. Kills it and its descendants if it does not end within the time limit.
     */
    static void stop(ProcessHandle process, String signal, Duration within) {
        send(process.pid(), signal);
        if (!areGone(List.of(process), within)) {
            killTree(process);
        }
    }

    /** Kills a process and its descendants with SIGKILL and waits until they have ended. */
    static void killTree(ProcessHandle process) {
        // Lists the children before the parent dies: afterwards they have another parent.
        List<ProcessHandle> all = Stream.concat(Stream.of(process), process.descendants()).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        if (!areGone(all, GONE_WITHIN)) {
            throw new DevstackException("process " + process.pid() + " still exists after SIGKILL");
        }
    }

    /**
     * Waits, also if interrupted. It does not use {@link ProcessHandle#onExit}, which never
     * completes for an ended process of another parent that does not reap it, as in many
     * containers.
     */
    private static boolean areGone(List<ProcessHandle> processes, Duration within) {
        long deadline = System.nanoTime() + within.toNanos();
        boolean interrupted = false;
        try {
            while (processes.stream().anyMatch(p -> ProcessIdentity.of(p.pid()).isPresent())) {
                if (System.nanoTime() - deadline > 0) {
                    return false;
                }
                try {
                    Thread.sleep(POLL);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
