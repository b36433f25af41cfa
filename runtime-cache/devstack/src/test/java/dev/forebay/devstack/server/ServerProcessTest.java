package dev.forebay.devstack.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.DevstackException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests processes that misbehave. The shell stands in for a server. */
class ServerProcessTest {
    @TempDir Path directory;

    @Test
    void startFailsWithTheLogOfAProcessThatEndsEarly() {
        Launch launch = shell("echo the port is taken; exit 3", () -> false);

        assertThatThrownBy(() -> ServerProcess.start(launch))
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining("shell ended while it was starting")
                .hasMessageContaining("the port is taken")
                .hasMessageContaining(directory.resolve("shell.log").toString());
    }

    @Test
    void startKillsAProcessThatIsNotReadyInTime() {
        Launch launch = shell("echo still warming up; exec sleep 1000", () -> false);

        assertThatThrownBy(() -> ServerProcess.start(within(launch, Duration.ofSeconds(2))))
                .hasMessageContaining("was not ready within")
                .hasMessageContaining("still warming up");
        assertThat(directory.resolve("shell.pid")).doesNotExist();
    }

    /**
     * A busy process continues for a moment, because the kernel has one of its threads stop the
     * others.
     */
    @Test
    void pauseReturnsAfterAllThreadsHaveStopped() {
        Launch launch =
                shell(
                        """
                        exec python3 -c '
                        import threading
                        def count():
                            while True: pass
                        [threading.Thread(target=count).start() for _ in range(8)]
                        open("busy", "w")'
                        """,
                        () -> Files.exists(directory.resolve("busy")));
        ServerProcess process = ServerProcess.start(launch);
        try {
            for (int i = 0; i < 20; i++) {
                process.pause();
                assertThat(ProcessIdentity.isStopped(process.pid())).isTrue();
                process.resume();
            }
        } finally {
            process.close();
        }
    }

    @Test
    void closeKillsAProcessThatIgnoresTheStopSignal() {
        Path trapped = directory.resolve("trapped");
        Launch launch =
                shell(
                        "trap '' TERM; touch trapped; while :; do sleep 0.1; done",
                        () -> Files.exists(trapped));
        Launch stubborn =
                new Launch(
                        launch.name(),
                        launch.directory(),
                        launch.command(),
                        launch.environment(),
                        launch.ready(),
                        launch.readyWithin(),
                        "TERM",
                        Duration.ofMillis(200),
                        false,
                        launch.lifetime());
        ServerProcess process = ServerProcess.start(stubborn);
        long pid = process.pid();

        process.close();

        assertThat(ProcessIdentity.of(pid)).isEmpty();
    }

    @Test
    void aProcessInheritsNoSettingsOfTheUsersShell() {
        Launch launch =
                shell(
                        "env > unfinished; mv unfinished variables; exec sleep 1000",
                        this::wroteVariables);
        try (ServerProcess process = ServerProcess.start(launch)) {
            assertThat(process.isAlive()).isTrue();
            assertThat(directory.resolve("variables"))
                    .content()
                    .contains("GIVEN=yes")
                    .doesNotContainPattern("(?m)^(FOREBAY|AWS|QUARKUS)_");
        }
    }

    private boolean wroteVariables() {
        return Files.exists(directory.resolve("variables"));
    }

    private Launch shell(String script, Readiness ready) {
        return Launch.of(
                "shell",
                directory,
                List.of("/bin/sh", "-c", script),
                Map.of("GIVEN", "yes"),
                ready,
                Launch.Lifetime.THIS_JVM);
    }

    private static Launch within(Launch launch, Duration bound) {
        return new Launch(
                launch.name(),
                launch.directory(),
                launch.command(),
                launch.environment(),
                launch.ready(),
                bound,
                launch.stopSignal(),
                launch.stopWithin(),
                launch.refusesRoot(),
                launch.lifetime());
    }
}
