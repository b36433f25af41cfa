package dev.forebay.fuse;

import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.model.DatasetVersion;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Starts a CSI driver as a process, and a region with a held mount, for each test. */
@SuppressWarnings("NullAway.Init") // started before each
abstract class CsiSetUp {

    static final DatasetVersion VERSION = HeldMountFixture.VERSION;
    static final DatasetVersion OTHER = DatasetVersion.of("vision", "digits", "v2");
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir Path directory;
    HeldMountFixture region;
    Path kubelet;
    Path socket;
    CsiClient client;
    final List<Path> targets = new ArrayList<>();

    @BeforeEach
    void startRegion() throws Exception {
        directory = directory.toRealPath();
        region = new HeldMountFixture(directory);
        kubelet = Files.createDirectory(directory.resolve("kubelet"));
        socket = directory.resolve("csi.sock");
        client = new CsiClient(socket, TIMEOUT);
    }

    @AfterEach
    void endAll() throws Exception {
        client.close();
        region.endProcesses();
        for (Path target : targets) {
            for (String _ : ImageTreeContract.mountsAt(target)) {
                new ProcessBuilder("umount", "-l", target.toString()).start().onExit().join();
            }
        }
        region.close();
    }

    /** Starts a driver whose first call for a volume waits as long as others. */
    Running driver(String... more) throws IOException {
        return region.driver(
                socket,
                kubelet,
                Stream.concat(Stream.of("--first-timeout=60"), Stream.of(more))
                        .toArray(String[]::new));
    }

    /** Creates the parent of a target, as a kubelet does. */
    Path target(String pod) throws IOException {
        Path target = Files.createDirectories(kubelet.resolve("pods/" + pod)).resolve("mount");
        targets.add(target);
        return target;
    }

    static void assertShowsAll(Path root) {
        TestDataset.assertShows(root, CheckingReader.objects());
    }

    static Status refusal(Runnable call) {
        try {
            call.run();
        } catch (StatusRuntimeException e) {
            return e.getStatus();
        }
        throw new AssertionError("was not refused");
    }
}
