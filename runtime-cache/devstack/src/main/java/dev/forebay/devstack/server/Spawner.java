package dev.forebay.devstack.server;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Starts processes.
 *
 * <p>Each gets a session of its own ({@code setsid}), so that Ctrl-C reaches only the devstack,
 * which stops its processes in order. A process that must end with this JVM asks the kernel for a
 * signal at the death of its parent ({@code setpriv --pdeathsig}), because a killed JVM runs no
 * shutdown hook. The kernel means the parent <em>thread</em>, so a single thread starts all
 * processes and never ends. Where these programs are missing, only the shutdown hook stops
 * processes.
 */
final class Spawner {
    /**
     * Prefixes of variables in the user's shell that a server would use as its own settings. For
     * example, a FOREBAY_REGION there must not become the region of every process.
     */
    private static final List<String> SETTINGS =
            List.of("FOREBAY_", "QUARKUS_", "AWS_", "ETCD_", "TEMPORAL_", "VGW_", "ROOT_", "PG");

    private static final ExecutorService THREAD =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("devstack-spawner").factory());

    private Spawner() {}

    static ProcessHandle spawn(Launch launch) throws IOException {
        List<String> command = new ArrayList<>();
        program("setsid").ifPresent(command::add);
        if (launch.refusesRoot()) {
            command.addAll(Unprivileged.prefix(launch.name()));
        }
        if (launch.lifetime() == Launch.Lifetime.THIS_JVM) {
            // After unshare, because a change of user resets the request.
            program("setpriv")
                    .ifPresent(
                            setpriv ->
                                    command.addAll(
                                            List.of(setpriv, "--pdeathsig", launch.stopSignal())));
        }
        command.addAll(launch.command());
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(launch.directory().toFile())
                        .redirectErrorStream(true)
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(launch.log().toFile()));
        builder.environment().keySet().removeIf(Spawner::isAnothersSetting);
        builder.environment().putAll(launch.environment());
        return onItsThread(launch.name(), () -> start(builder, launch));
    }

    /** Starts a process that the kernel kills when this JVM ends. */
    static Process startTethered(ProcessBuilder builder) throws IOException {
        List<String> command = new ArrayList<>();
        program("setpriv")
                .ifPresent(setpriv -> command.addAll(List.of(setpriv, "--pdeathsig", "KILL")));
        command.addAll(builder.command());
        builder.command(command);
        return onItsThread(command.getLast(), () -> start(builder));
    }

    private static Process start(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static <T> T onItsThread(String name, Supplier<T> start) throws IOException {
        try {
            // Not interruptible: the JVM could not stop a process that it does not know.
            return CompletableFuture.supplyAsync(start, THREAD).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof UncheckedIOException io
                    ? io.getCause()
                    : new IOException(e.getCause());
        } catch (RejectedExecutionException e) {
            throw new DevstackException(name + " is not started: the devstack ends", e);
        }
    }

    /** Prevents later starts, and returns when all running starts have completed. */
    static void stopSpawning() {
        THREAD.close();
    }

    private static ProcessHandle start(ProcessBuilder builder, Launch launch) {
        try {
            ProcessHandle process = builder.start().toHandle();
            PidFile.write(launch.pidFile(), process, launch.stopSignal());
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isAnothersSetting(String variable) {
        return SETTINGS.stream().anyMatch(variable::startsWith);
    }

    static Optional<String> program(String name) {
        return List.of("/usr/bin", "/bin", "/usr/sbin", "/sbin").stream()
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }
}
