package dev.forebay.devstack.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.InputEnd;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortLocksTest {
    private static final int PORT = 20_000;
    private static final String TAKEN = "taken";

    @TempDir Path directory;

    /** Takes a port, and holds it until its standard input ends. */
    static final class Other {
        private Other() {}

        public static void main(String[] arguments) {
            InputEnd end = InputEnd.watch();
            if (PortLocks.in(Path.of(arguments[0])).take(PORT)) {
                System.out.println(TAKEN);
            }
            while (!end.isReached()) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }

    @Test
    void aPortStaysLockedUntilTheJvmThatTookItEnds() throws Exception {
        Path file = directory.resolve("made/ports");
        Process other =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Other.class.getName(),
                                file.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (BufferedReader printed = other.inputReader(UTF_8)) {
            assertThat(printed.lines().anyMatch(TAKEN::equals)).isTrue();
            PortLocks ours = PortLocks.in(file);

            assertThat(ours.take(PORT)).isFalse();
            assertThat(ours.take(PORT + 1)).isTrue();
            other.destroyForcibly();
            assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(ours.take(PORT)).isTrue();
        } finally {
            other.destroyForcibly();
        }
    }

    @Test
    void everyPortCanBeTakenIfTheLockFileCannotBeCreated() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));

        assertThat(PortLocks.in(file.resolve("ports")).take(PORT)).isTrue();
    }
}
