package dev.forebay.devstack.server;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Signals to processes. Java itself knows only TERM and KILL. */
final class Signals {
    private static final Duration GONE_WITHIN = Duration.ofSeconds(10);
    private static final Duration STOPPED_WITHIN = Duration.ofSeconds(10);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration POLL = Duration.ofMillis(10);

    private Signals() {}

    /** Sends a signal; no error if the process is gone. */
    static void send(long pid, String signal) {
        try {
            // The shell's own kill: the program of that name is not on every machine.
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
     * Stops a process by SIGSTOP; returns when it does nothing any more. The kernel tells one
     * thread to stop the others, which go on until it runs.
     *
     * @throws DevstackException if it goes on
     */
    static void pause(long pid) {
        send(pid, "STOP");
        long deadline = System.nanoTime() + STOPPED_WITHIN.toNanos();
        while (!ProcessIdentity.isStopped(pid)) {
            if (System.nanoTime() - deadline > 0) {
                throw new DevstackException("process " + pid + " goes on after SIGSTOP");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Asks a process to end, and kills it and its descendants if it does not within the bound. */
    static void stop(ProcessHandle process, String signal, Duration within) {
        send(process.pid(), signal);
        if (!areGone(List.of(process), within)) {
            killTree(process);
        }
    }

    /** Kills a process and its descendants with SIGKILL and waits until they are gone. */
    static void killTree(ProcessHandle process) {
        // The children are listed before the parent dies: afterwards they are somebody else's.
        List<ProcessHandle> all = Stream.concat(Stream.of(process), process.descendants()).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        if (!areGone(all, GONE_WITHIN)) {
            throw new DevstackException("process " + process.pid() + " is there after SIGKILL");
        }
    }

    /**
     * Waits, uninterrupted. Not by {@link ProcessHandle#onExit}, which for ever waits for a process
     * of another parent that has ended and that this parent does not reap, as in many containers.
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
