package dev.forebay.devstack.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.PidFile;
import dev.forebay.devstack.server.ServerProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StackOnDiskTest {
    @TempDir Path data;

    private StackOnDisk disk;

    @BeforeEach
    void aStack() {
        disk = new StackOnDisk(data);
    }

    @Test
    void theStackFindsAndStopsProcessesInAllSubdirectories() {
        sleeper("s3", data.resolve("lake"));
        sleeper("worker", data.resolve("regions/us-east-1/worker-0"));
        assertThat(disk.processes().stream().map(disk::nameOf))
                .containsExactlyInAnyOrder("lake", "us-east-1/worker-0");

        assertThat(disk.stop(line -> {})).isEqualTo(2);

        assertThat(disk.processes()).isEmpty();
        assertThat(disk.stop(line -> {})).isZero();
    }

    @Test
    void theStackIsNotRunningIfOneProcessHasEnded() {
        ServerProcess lake = sleeper("s3", data.resolve("lake"));
        sleeper("temporal", data.resolve("temporal"));
        disk.ready(new Addresses(Map.of("api", "http://127.0.0.1:1")));
        assertThat(disk.isRunning()).isTrue();

        ProcessHandle process = ProcessHandle.of(lake.pid()).orElseThrow();
        process.destroyForcibly();
        process.onExit().join();

        assertThat(disk.isRunning()).isFalse();
        disk.stop(line -> {});
        assertThat(disk.addresses()).isEmpty();
    }

    @Test
    void remembersAddresses() {
        Addresses addresses =
                new Addresses(
                        Map.of("api", "http://127.0.0.1:1", "regions", "a,b", "a.mount", "/x=\\y"));
        disk.ready(addresses);

        assertThat(disk.addresses()).contains(addresses);
        assertThat(addresses.regions()).containsExactly("a", "b");
        assertThat(addresses.toJson())
                .isEqualTo(
                        "{\"a.mount\": \"/x=\\\\y\", \"api\": \"http://127.0.0.1:1\", \"regions\": \"a,b\"}");
    }

    @Test
    void theStackRemembersItsPortBaseAfterItStops() {
        assertThat(disk.portBase()).isEmpty();
        disk.startsAt(7800);
        disk.ready(new Addresses(Map.of("api", "http://127.0.0.1:7800")));

        disk.stop(line -> {});

        assertThat(disk.portBase()).contains("7800");
    }

    @Test
    void aStackWithoutADirectoryIsEmpty() {
        StackOnDisk nowhere = new StackOnDisk(data.resolve("nowhere"));

        assertThat(nowhere.processes()).isEmpty();
        assertThat(nowhere.isRunning()).isFalse();
        assertThat(nowhere.portBase()).isEmpty();
        assertThat(nowhere.stop(line -> {})).isZero();
    }

    private static ServerProcess sleeper(String name, Path directory) {
        return ServerProcess.start(
                Launch.of(
                        name,
                        directory,
                        List.of("sleep", "1000"),
                        Map.of(),
                        () -> PidFile.read(directory.resolve(name + ".pid")).isPresent(),
                        Launch.Lifetime.THIS_JVM));
    }
}
