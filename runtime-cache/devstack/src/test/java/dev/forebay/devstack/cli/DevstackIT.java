package dev.forebay.devstack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.server.PidFile;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.stack.StackOnDisk;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the command like a user: with real etcd, Temporal, PostgreSQL, S3 and mounts. {@link
 * StandIn} replaces Forebay's own programs.
 */
class DevstackIT {
    private static final Duration BOUND = Duration.ofSeconds(60);

    /**
     * Lake, Temporal, PostgreSQL, control plane; per region etcd, agent, two workers, FUSE pod.
     * Where holders are supported, there are also holders and standby pods.
     */
    private static final int PROCESSES = 14;

    /** A shell starts background programs with Ctrl-C ignored, and their children inherit that. */
    private static final List<String> INTERRUPTIBLE = List.of("env", "--default-signal=INT");

    /** The status of a JVM that SIGINT has ended. */
    private static final int INTERRUPTED = 130;

    @TempDir Path directory;

    private StackOnDisk disk;
    private Path home;
    private Path data;
    private int portBase;

    private record Result(int status, String out, String err) {}

    @BeforeEach
    void aBuiltRepository() throws Exception {
        // Names with characters that users choose.
        home = directory.resolve("my clone, 50%20");
        data = directory.resolve("my data, 50%20");
        StandIn.buildInto(home);
        disk = new StackOnDisk(data);
        portBase = freeBase();
    }

    @AfterEach
    void nothingStays() {
        disk.stop(line -> {});
    }

    @Test
    void theStackRunsUntilTheDownCommand() throws Exception {
        Result up = devstack("up");

        assertThat(up.status()).as(up.err()).isZero();
        assertThat(up.err()).contains("ready in");
        assertThat(up.out())
                .contains("http://127.0.0.1:" + portBase + "/api/v1")
                .contains("Temporal UI", "credentials", "us-east-1", "ap-northeast-2");
        assertThat(disk.processes()).allMatch(PidFile::isAlive);
        assertThat(withoutHolders()).hasSize(PROCESSES);
        assertThat(disk.mounts()).hasSize(2);
        assertThat(devstack("status").status()).isZero();
        assertThat(devstack("status", "--json").out()).contains("\"us-east-1.mount\": \"" + data);

        Result again = devstack("up");
        assertThat(again.status()).isZero();
        assertThat(again.err()).contains("already running");
        assertThat(again.out()).isEqualTo(up.out());

        List<PidFile> processes = disk.processes();
        Result down = devstack("down");
        assertThat(down.status()).isZero();
        assertThat(down.err()).contains("stopped the stack in " + data);
        assertThat(processes).noneMatch(PidFile::isAlive);
        assertThat(disk.mounts()).isEmpty();
        assertThat(devstack("down").err()).contains("nothing is running in " + data);
        assertThat(devstack("status").status()).isEqualTo(3);
        assertThat(disk.portBase()).contains(Integer.toString(portBase));
    }

    @Test
    void execShowsEachRegionsMountAtTheSamePath() throws Exception {
        devstack("up");

        for (String region : List.of("us-east-1", "ap-northeast-2")) {
            Result result =
                    devstack(
                            "exec",
                            "--region",
                            region,
                            "--",
                            "sh",
                            "-c",
                            "cat mnt/region && echo , $FOREBAY_REGION $FOREBAY_API $AWS_ENDPOINT_URL_S3"
                                    + " && exit 7");
            assertThat(result.status()).isEqualTo(7);
            assertThat(result.out())
                    .isEqualTo("%s, %s http://127.0.0.1:%d\n".formatted(region, region, portBase));
        }
        assertThat(data.resolve("mnt")).isEmptyDirectory();
        assertThat(devstack("exec", "--region", "nowhere", "true").err())
                .contains("there is no region nowhere");
    }

    /** After a failure the data stay, so that the user can read the logs. */
    @Test
    void runStartsAStackForAProgramAndExitsWithItsStatus() throws Exception {
        Path stacks = home.resolve("target");

        Result failed = runThatExits(7);

        assertThat(failed.status()).as(failed.err()).isEqualTo(7);
        assertThat(failed.out()).isEqualTo("us-east-1\n");
        assertThat(failed.err()).contains("the logs are below " + stacks);
        Path left = onlyChild(stacks);
        StackOnDisk stopped = new StackOnDisk(left);
        assertThat(stopped.processes()).noneMatch(PidFile::isAlive);
        assertThat(stopped.mounts()).isEmpty();

        Result worked = runThatExits(0);

        assertThat(worked.status()).as(worked.err()).isZero();
        assertThat(onlyChild(stacks)).isEqualTo(left);
    }

    /** Runs a program that exits with 1 if it has no key of the lake. */
    private Result runThatExits(int status) throws Exception {
        return devstack(
                "run",
                "--region",
                "us-east-1",
                "--",
                "sh",
                "-c",
                "echo $FOREBAY_REGION && test -r \"$AWS_SHARED_CREDENTIALS_FILE\" && exit "
                        + status);
    }

    private static Path onlyChild(Path directory) throws IOException {
        try (Stream<Path> children = Files.list(directory)) {
            List<Path> all = children.toList();
            assertThat(all).hasSize(1);
            return all.getFirst();
        }
    }

    @Test
    void upRestartsAfterACrashThatLeftProcessesAndAMount() throws Exception {
        devstack("up");
        List<PidFile> fuse =
                disk.processes().stream()
                        .filter(one -> disk.nameOf(one).matches("us-east-1/(fuse|holder|standby)"))
                        .toList();
        for (PidFile process : fuse) {
            ProcessHandle.of(process.identity().pid()).orElseThrow().destroyForcibly();
        }
        await(() -> fuse.stream().noneMatch(PidFile::isAlive));
        assertThat(disk.mounts()).hasSize(2);
        assertThat(devstack("status").out()).contains("ENDED");

        Result up = devstack("up");

        assertThat(up.status()).as(up.err()).isZero();
        assertThat(up.err()).contains("us-east-1/fuse", " ended: ", "removed the mount");
        assertThat(disk.mounts()).hasSize(2);
    }

    @Test
    void upLeavesNothingWhenAProcessFailsToStart() throws Exception {
        Files.createFile(home.resolve("activities/target/quarkus-app/fails"));

        Result up = devstack("up");

        assertThat(up.status()).isEqualTo(1);
        assertThat(up.err()).contains("ended while it was starting", "was told to fail");
        assertThat(disk.processes()).isEmpty();
        assertThat(disk.mounts()).isEmpty();
    }

    /** SIGINT ends the start, like Ctrl-C on a terminal, before a hanging process times out. */
    @Test
    void upLeavesNothingWhenInterrupted() throws Exception {
        Files.createFile(home.resolve("activities/target/quarkus-app/hangs"));
        Process up = start(INTERRUPTIBLE, "up");
        await(() -> disk.mounts().size() == 2 && withoutHolders().size() == PROCESSES);
        List<PidFile> processes = disk.processes();

        new ProcessBuilder("sh", "-c", "kill -INT " + up.pid()).start().waitFor();

        assertThat(up.waitFor()).isEqualTo(INTERRUPTED);
        assertThat(processes).noneMatch(PidFile::isAlive);
        assertThat(disk.mounts()).isEmpty();
    }

    @Test
    void upNamesThePortThatIsInUse() throws Exception {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), portBase + 1));

            Result up = devstack("up");

            assertThat(up.status()).isEqualTo(1);
            assertThat(up.err())
                    .contains("Port %d, for Temporal, is in use".formatted(portBase + 1))
                    .contains("process " + ProcessHandle.current().pid())
                    .contains("FOREBAY_PORT_BASE");
            assertThat(disk.processes()).isEmpty();
        }
    }

    @Test
    void upWarnsThatOutgoingConnectionsMayTakeItsPorts() throws Exception {
        // The kernel chooses a port, as it does for a connection.
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            portBase = socket.getLocalPort();

            Result up = devstack("up");

            assertThat(up.status()).isEqualTo(1);
            assertThat(up.err())
                    .contains("Outgoing connections of this machine get ports from")
                    .contains("ip_local_reserved_ports=" + portBase);
        }
    }

    private List<PidFile> withoutHolders() {
        return disk.processes().stream()
                .filter(process -> !disk.nameOf(process).matches(".*/(holder|standby)"))
                .toList();
    }

    private Result devstack(String... arguments) throws Exception {
        Process process = start(List.of(), arguments);
        int status = process.waitFor();
        return new Result(
                status,
                Files.readString(directory.resolve("out")),
                Files.readString(directory.resolve("err")));
    }

    private Process start(List<String> prefix, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(Devstack.class.getName());
        command.addAll(Arrays.asList(arguments));
        Files.createDirectories(data);
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(data.toFile())
                        .redirectOutput(directory.resolve("out").toFile())
                        .redirectError(directory.resolve("err").toFile());
        builder.environment()
                .putAll(
                        Map.of(
                                // The stand-ins have no AOT caches.
                                "FOREBAY_AOT_MODE", "off",
                                "FOREBAY_HOME", home.toString(),
                                "FOREBAY_DATA", data.toString(),
                                "FOREBAY_PORT_BASE", Integer.toString(portBase)));
        return builder.start();
    }

    /** Returns the first of forty ports that are all free. */
    private static int freeBase() {
        while (true) {
            int base = Ports.free();
            boolean free = true;
            for (int port = base; port < base + 40 && free; port++) {
                free = Ports.isFree(port);
            }
            if (free) {
                return base;
            }
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(20);
        }
    }
}
