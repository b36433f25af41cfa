package dev.forebay.devstack.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Starts processes.
 *
 * <p>Each gets a session of its own ({@code setsid}), so that Ctrl-C reaches only the devstack,
 * which stops its processes in order. One that shall end with this JVM asks the kernel for a signal
 * when its parent dies ({@code setpriv --pdeathsig}): a JVM that is killed runs no shutdown hook.
 * The kernel means the parent <em>thread</em>, hence the single thread that starts all of them and
 * never ends. Where these programs are missing the shutdown hook has to do.
 */
final class Spawner {
    private static final ExecutorService THREAD =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("devstack-spawner").factory());

    private Spawner() {}

    static ProcessHandle spawn(Launch launch) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        program("setsid").ifPresent(command::add);
        if (launch.refusesRoot()) {
            command.addAll(Unprivileged.prefix(launch.name()));
        }
        if (launch.lifetime() == Launch.Lifetime.THIS_JVM) {
            // After the change of user, which would take the request back.
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
        builder.environment().putAll(launch.environment());
        try {
            return THREAD.submit(() -> builder.start().toHandle()).get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        }
    }

    static Optional<String> program(String name) {
        return List.of("/usr/bin", "/bin", "/usr/sbin", "/sbin").stream()
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }
}
