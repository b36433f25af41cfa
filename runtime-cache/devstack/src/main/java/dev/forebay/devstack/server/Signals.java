package dev.forebay.devstack.server;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** Signals to processes. Java itself knows only TERM and KILL. */
final class Signals {
    private static final int GONE_SECONDS = 10;

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

    /** Kills a process and its descendants with SIGKILL and waits until they are gone. */
    static void killTree(ProcessHandle process) {
        // The children are listed before the parent dies: afterwards they are somebody else's.
        List<ProcessHandle> all = Stream.concat(Stream.of(process), process.descendants()).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        CompletableFuture<?>[] gone =
                all.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(gone).get(GONE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new DevstackException(
                    "process " + process.pid() + " is still there after SIGKILL", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
