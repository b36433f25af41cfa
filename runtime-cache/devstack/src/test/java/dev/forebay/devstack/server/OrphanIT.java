package dev.forebay.devstack.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the servers of a JVM end with it, also if it crashes. */
class OrphanIT {
    private static final Duration BOUND = Duration.ofSeconds(90);

    @TempDir Path directory;

    /** The program of the dying JVM. */
    static final class Starter {
        private Starter() {}

        public static void main(String[] arguments) throws Exception {
            Path directory = Path.of(arguments[0]);
            EtcdServer.start(directory.resolve("etcd"));
            PostgresServer.start(directory.resolve("postgres"));
            Process child = ChildProcess.start(new ProcessBuilder("sleep", "300"));
            // Written atomically, because the test reads the file as soon as it exists.
            Path written = directory.resolve("child.pid.part");
            Files.writeString(written, Long.toString(child.pid()));
            Files.move(written, directory.resolve("child.pid"), StandardCopyOption.ATOMIC_MOVE);
            Thread.sleep(Duration.ofMinutes(5));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "KILL"})
    void serversAndChildrenEndWithTheirJvm(String signal) throws Exception {
        Process jvm =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Starter.class.getName(),
                                directory.toString())
                        .inheritIO()
                        .start();
        PidFile etcd = awaitPidFile(directory.resolve("etcd/etcd.pid"));
        PidFile postgres = awaitPidFile(directory.resolve("postgres/postgres.pid"));
        await(() -> Files.exists(directory.resolve("postgres/data/postmaster.pid")));
        await(() -> Files.exists(directory.resolve("child.pid")));
        long child = Long.parseLong(Files.readString(directory.resolve("child.pid")));

        Signals.send(jvm.pid(), signal);

        jvm.waitFor();
        await(() -> !etcd.isAlive() && !postgres.isAlive());
        await(() -> ProcessHandle.of(child).isEmpty());
    }

    @Test
    void thePidFileStopsALongLivedServer() throws Exception {
        Path data = directory.resolve("etcd");
        EtcdServer etcd =
                EtcdServer.start(data, Ports.free(), Ports.free(), Launch.Lifetime.UNTIL_STOPPED);

        PidFile.read(data.resolve("etcd.pid")).orElseThrow().stop();

        assertThat(etcd.isAlive()).isFalse();
    }

    private static PidFile awaitPidFile(Path file) throws InterruptedException, IOException {
        await(() -> PidFile.read(file).isPresent());
        return Optional.of(file).flatMap(PidFile::read).orElseThrow();
    }

    private static void await(Readiness condition) throws InterruptedException, IOException {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (!condition.ready()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(20);
        }
    }
}
