package dev.forebay.devstack.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PidFileTest {
    @TempDir Path directory;

    private Process process;
    private Path file;

    @BeforeEach
    void aProcess() throws IOException {
        process = new ProcessBuilder("sleep", "1000").start();
        file = directory.resolve("sleeper.pid");
    }

    @AfterEach
    void noProcess() {
        process.destroyForcibly();
    }

    @Test
    void stopsTheProcessItNames() throws IOException {
        PidFile.write(file, process.toHandle(), "TERM");
        PidFile written = PidFile.read(file).orElseThrow();
        assertThat(written.name()).isEqualTo("sleeper");
        assertThat(written.isAlive()).isTrue();

        written.stop();

        assertThat(written.isAlive()).isFalse();
        assertThat(file).doesNotExist();
    }

    @Test
    void stopsAPausedProcessToo() throws IOException {
        PidFile.write(file, process.toHandle(), "TERM");
        Signals.send(process.pid(), "STOP");

        PidFile.read(file).orElseThrow().stop();

        assertThat(ProcessIdentity.of(process.pid())).isEmpty();
    }

    /** A killed process may end like that: its first thread before the one that holds the ports. */
    @Test
    void stopWaitsForTheLastThreadAndItsPort() throws IOException {
        process.destroyForcibly();
        process =
                new ProcessBuilder(
                                "python3",
                                "-c",
                                """
                                import ctypes, socket, threading, time
                                server = socket.create_server(("127.0.0.1", 0))
                                threading.Thread(target=time.sleep, args=(1000,)).start()
                                print(server.getsockname()[1], flush=True)
                                input()
                                ctypes.CDLL(None).pthread_exit(None)
                                """)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        int port = Integer.parseInt(process.inputReader().readLine());
        PidFile.write(file, process.toHandle(), "KILL");
        PidFile written = PidFile.read(file).orElseThrow();
        process.outputWriter().append('\n').flush();
        awaitZombie(process.pid());
        assertThat(written.isAlive()).isTrue();
        assertThat(Ports.isFree(port)).isFalse();

        written.stop();

        assertThat(written.isAlive()).isFalse();
        assertThat(Ports.isFree(port)).isTrue();
    }

    private static void awaitZombie(long pid) throws IOException {
        long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (!Files.readString(Path.of("/proc/" + pid + "/stat")).contains(") Z ")) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    @Test
    void stopSparesAnotherProcessWithTheSameId() throws IOException {
        ProcessIdentity now = ProcessIdentity.of(process.pid()).orElseThrow();
        Files.write(file, List.of(Long.toString(now.pid()), now.began() + "0", "TERM"));
        PidFile old = PidFile.read(file).orElseThrow();

        old.stop();

        assertThat(old.isAlive()).isFalse();
        assertThat(process.isAlive()).isTrue();
        assertThat(file).doesNotExist();
    }

    @Test
    void anIncompletePidFileIsIgnored() throws IOException {
        Files.writeString(file, "12");
        assertThat(PidFile.read(file)).isEmpty();
        Files.writeString(file, "twelve\nx\nTERM\n");
        assertThat(PidFile.read(file)).isEmpty();
    }
}
