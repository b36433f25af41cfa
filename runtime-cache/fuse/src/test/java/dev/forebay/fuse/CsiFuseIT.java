package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.csi.GetPluginInfoRequest;
import dev.forebay.csi.NodeGetInfoRequest;
import dev.forebay.csi.ProbeRequest;
import dev.forebay.devstack.server.ChildProcess;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.tool.Toolbox;
import dev.forebay.fuse.CheckingReader.Way;
import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.HeldMountFixture.Seen;
import dev.forebay.fuse.view.View;
import dev.forebay.model.DatasetVersion;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The driver as a process, as a kubelet uses it, on a mount that is held. */
@SuppressWarnings("NullAway.Init") // started before each
class CsiFuseIT {

    private static final DatasetVersion VERSION = HeldMountFixture.VERSION;
    private static final DatasetVersion OTHER = DatasetVersion.of("vision", "digits", "v2");
    private static final DatasetVersion NONE = DatasetVersion.of("no", "such", "v1");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Of which a second is for the answer. */
    private static final Duration HASTE = Duration.ofSeconds(4);

    /** Of which three seconds are for the answers to all pods. */
    private static final Duration HASTE_OF_MANY = Duration.ofSeconds(12);

    /** Above the 110 that kubelets allow by themselves, and above what a driver takes at once. */
    private static final int PODS = 200;

    /** After these kubelets try again, and it may go better. */
    private static final Set<Status.Code> PASSING =
            Set.of(Status.Code.ABORTED, Status.Code.RESOURCE_EXHAUSTED, Status.Code.UNAVAILABLE);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Of the fields of a line of mountinfo. */
    private static final int MOUNTPOINT = 4;

    /** Less by what the call took to arrive. */
    private static final String WAITED = "; waited [1-3]\\.\\d s$";

    @TempDir private Path directory;
    private HeldMountFixture region;
    private Path kubelet;
    private Path socket;
    private CsiClient client;
    private final List<Path> targets = new ArrayList<>();

    @BeforeEach
    void startRegion() throws Exception {
        directory = directory.toRealPath();
        region = new HeldMountFixture(directory);
        kubelet = Files.createDirectory(directory.resolve("kubelet"));
        socket = directory.resolve("csi.sock");
        client = new CsiClient(socket, PATIENCE);
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

    /** One whose first call for a volume is as patient as others. */
    private Running driver(String... more) throws IOException {
        return region.driver(
                socket,
                kubelet,
                Stream.concat(Stream.of("--first-patience=60"), Stream.of(more))
                        .toArray(String[]::new));
    }

    /** As a kubelet does, which makes the directory above. */
    private Path target(String pod) throws IOException {
        Path target = Files.createDirectories(kubelet.resolve("pods/" + pod)).resolve("mount");
        targets.add(target);
        return target;
    }

    private static void assertShowsAll(Path root) {
        TestDataset.assertShows(root, CheckingReader.objects());
    }

    private static Status refusal(Runnable call) {
        try {
            call.run();
        } catch (StatusRuntimeException e) {
            return e.getStatus();
        }
        throw new AssertionError("was not refused");
    }

    @Test
    void aVolumeIsTheVersionAndNoBetterViewThanOnDemand() throws Exception {
        Running holder = region.holder();
        Running _ = region.serving(holder, "pod-0");
        Running _ = driver();
        Path early = target("early");

        client.publish(VERSION, early);

        List<String> published = ImageTreeContract.mountsAt(early);
        assertThat(published).hasSize(1);
        assertShowsAll(early);
        region.awaitView(View.NATIVE);
        assertThat(ImageTreeContract.mountsAt(early)).isEqualTo(published);

        Path late = target("late");
        client.publish(VERSION, late);
        assertThat(ImageTreeContract.mountsAt(late)).hasSize(1);
        assertThat(ImageTreeContract.mountsAt(late).getFirst()).doesNotContain("/native/");
        assertThat(region.view()).as("the tree keeps its own").isEqualTo(View.NATIVE);
        assertShowsAll(late);
        assertThatThrownBy(() -> Files.createFile(late.resolve("new")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("Read-only");

        client.unpublish(early);
        assertThat(early).doesNotExist();
        assertShowsAll(late);
    }

    @Test
    void aVersionWithoutAnImageIsAVolumeFileByFile() throws Exception {
        Running _ = region.serving(region.holder(), "pod-0", "--view=portable");
        region.mount(OTHER);
        Running _ = driver("--image-patience=1");
        Path target = target("1");

        client.publish(VERSION, target);
        List<String> published = ImageTreeContract.mountsAt(target);
        assertThat(published).hasSize(1);
        assertThat(published.getFirst()).contains(" /vision/digits/v1 ", " - fuse.forebay ");
        assertShowsAll(target);
        client.publish(VERSION, target);
        assertThat(ImageTreeContract.mountsAt(target)).isEqualTo(published);
        assertThat(refusal(() -> client.publish(OTHER, target)).getCode())
                .isEqualTo(Status.Code.ALREADY_EXISTS);
        client.unpublish(target);
        assertThat(target).doesNotExist();
    }

    @Test
    void whatIsDoneTwiceIsDoneOnce() throws Exception {
        Running _ = region.serving(region.holder(), "pod-0");
        region.mount(OTHER);
        Running _ = driver();
        Path target = target("1");
        client.unpublish(target);

        client.publish(VERSION, target);
        List<String> published = ImageTreeContract.mountsAt(target);
        client.publish(VERSION, target);
        assertThat(ImageTreeContract.mountsAt(target)).isEqualTo(published);

        Status refusal = refusal(() -> client.publish(OTHER, target));
        assertThat(refusal.getCode()).isEqualTo(Status.Code.ALREADY_EXISTS);
        assertThat(refusal.getDescription())
                .isEqualTo(
                        "target_path %s has another volume than %s; unpublish it first"
                                .formatted(target, OTHER));
        assertShowsAll(target);

        client.unpublish(target);
        client.unpublish(target);
        assertThat(target).doesNotExist();
        client.publish(OTHER, target);
        assertShowsAll(target);
    }

    @Test
    void whatIsNotAVolumeIsLeftAlone() throws Exception {
        Running _ = region.serving(region.holder(), "pod-0");
        Running _ = driver();
        Path target = target("1");
        Path file = Files.createDirectory(target).resolve("of-somebody");
        Files.writeString(file, "else");

        assertThat(refusal(() -> client.publish(VERSION, target)).getDescription())
                .contains("target_path " + target + " is not empty");
        Status refusal = refusal(() -> client.unpublish(target));
        assertThat(refusal.getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
        assertThat(file).hasContent("else");
        assertThat(refusal(() -> client.publish(VERSION, directory.resolve("x"))).getDescription())
                .contains("must be below --kubelet-directory");
    }

    /** Readers do not notice that the driver is killed, and that the pod is. */
    @Test
    void volumesSurviveTheDriverAndThePod() throws Exception {
        Running holder = region.holder();
        Running pod = region.serving(holder, "pod-0", "--view=on-demand");
        Running driver = driver();
        Path target = target("1");
        client.publish(VERSION, target);
        List<String> published = ImageTreeContract.mountsAt(target);
        List<Running> readers =
                HeldMountFixture.readers(
                        directory, target, 1, EnumSet.of(Way.BUFFERED, Way.SMALL_FILES), List.of());

        long _ = driver.kill();
        Running next = region.standby(holder, "pod-1", "--view=on-demand");
        long _ = pod.kill();
        holder.await(HeldMountFixture.serves(next));
        Running _ = driver();
        client.publish(VERSION, target);

        assertThat(ImageTreeContract.mountsAt(target)).isEqualTo(published);
        Seen seen = HeldMountFixture.end(readers);
        assertThat(seen.complaints()).isEmpty();
        assertThat(seen.operations()).isPositive();
        assertShowsAll(target);
        client.unpublish(target);
        assertThat(target).doesNotExist();
    }

    /** While nobody serves a mount that is held, what looks into it waits in the kernel. */
    @Test
    void whileNobodyServesWhatIsPublishedIsAndTheRestWaits() throws Exception {
        // Of an image the kernel has the directory without anybody's help.
        Running holder = region.holder();
        Running pod = region.serving(holder, "pod-0", "--view=portable");
        region.mount(OTHER);
        Running _ = driver("--image-patience=0");
        Path one = target("1");
        Path two = target("2");
        client.publish(VERSION, one);
        long _ = pod.kill();

        client.publish(VERSION, one);
        try (CsiClient hasty = new CsiClient(socket, HASTE)) {
            assertThat(refusal(() -> hasty.publish(OTHER, two)).getCode())
                    .isEqualTo(Status.Code.UNAVAILABLE);
        }
        client.unpublish(one);
        assertThat(one).doesNotExist();

        Running _ = region.serving(holder, "pod-0", "--view=portable");
        publishWhenItMay(OTHER, two);
        assertShowsAll(two);
    }

    private void publishWhenItMay(DatasetVersion version, Path target) {
        whenItMay(Set.of(Status.Code.ABORTED), () -> client.publish(version, target));
    }

    /** As a kubelet does: again and again while the answer is one of these. */
    private static void whenItMay(Set<Status.Code> passing, Runnable call) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                call.run();
                return;
            } catch (StatusRuntimeException e) {
                if (!passing.contains(e.getStatus().getCode()) || System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    @Test
    void aVolumeOfAMountThatIsLostIsReplaced() throws Exception {
        Running holder = region.holder();
        Running pod = region.serving(holder, "pod-0", "--view=on-demand");
        Running _ = driver();
        Path target = target("1");
        client.publish(VERSION, target);
        long _ = holder.kill();
        long _ = pod.kill();
        Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "1");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> Files.readAllBytes(target.resolve("big/0.bin")));

        Running again = region.holder();
        Running _ = region.serving(again, "pod-0", "--view=on-demand");
        client.publish(VERSION, target);

        assertThat(ImageTreeContract.mountsAt(target)).hasSize(1);
        assertShowsAll(target);
    }

    /** What a pod waits for is an event of it only when a call has ended. */
    @Test
    void theFirstCallForAVolumeSaysSoonThatItIsNotThere() throws Exception {
        Running _ = region.serving(region.holder(), "pod-0");
        Running _ = region.driver(socket, kubelet, "--first-patience=1");
        Path target = target("1");

        Status first = refusal(() -> client.publish(OTHER, target));

        assertThat(first.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(first.getDescription())
                .contains("vision/digits@v2 is not mounted on this node")
                .as("the caller would have waited for a minute")
                .containsPattern("waited [123]?[0-9]\\.");
        try (CsiClient patient = new CsiClient(socket, Duration.ofSeconds(10))) {
            assertThat(refusal(() -> patient.publish(OTHER, target)).getDescription())
                    .as("the next one has all the time of its caller")
                    .doesNotContainPattern("waited [01]\\.");
        }
    }

    @Test
    void waitsForAVersionAndSaysSoInTime() throws Exception {
        Running driver = driver();
        Path target = target("1");
        try (CsiClient hasty = new CsiClient(socket, HASTE)) {
            assertThat(isReady()).isFalse();
            assertThat(refusal(() -> hasty.publish(VERSION, target)).getDescription())
                    .contains("nothing of Forebay is mounted at")
                    .containsPattern(WAITED);
        }
        Running _ = region.serving(region.holder(), "pod-0");
        assertThat(isReady()).isTrue();
        try (CsiClient hasty = new CsiClient(socket, HASTE)) {
            Status refusal = refusal(() -> hasty.publish(OTHER, target));
            assertThat(refusal.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(refusal.getDescription())
                    .contains("vision/digits@v2 is not mounted on this node yet")
                    .containsPattern(WAITED);
        }
        assertThat(target).doesNotExist();

        CompletableFuture<Void> waiting =
                CompletableFuture.runAsync(() -> client.publish(OTHER, target));
        region.mount(OTHER);
        waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertShowsAll(target);

        Path never = target("2");
        CompletableFuture<Status> told =
                CompletableFuture.supplyAsync(() -> refusal(() -> publishWhenItMay(NONE, never)));
        assertThat(refusal(() -> awaitBusy(never)).getDescription()).contains("is under way");
        int _ = driver.stop();
        assertThat(told.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).getCode())
                .isEqualTo(Status.Code.UNAVAILABLE);
        assertShowsAll(target);
    }

    /** As after the start of a node: its pods are there all at once, and nothing is mounted yet. */
    @Test
    void aNodeFullOfPodsGetsItsVolumesThoughTheyCameBeforeTheMount() throws Exception {
        Running driver = driver();
        List<Path> all = new ArrayList<>();
        for (int i = 0; i < PODS; i++) {
            all.add(target("pod-" + i));
        }
        assertThat(isReady()).isFalse();
        long descriptors = descriptors(driver);

        Queue<Status.Code> told = new ConcurrentLinkedQueue<>();
        try (CsiClient hasty = new CsiClient(socket, HASTE_OF_MANY)) {
            atOnce(
                    all,
                    target -> told.add(refusal(() -> hasty.publish(VERSION, target)).getCode()));
        }
        assertThat(told)
                .as("each in time, as many as may wait after that")
                .hasSize(PODS)
                .containsOnly(Status.Code.UNAVAILABLE, Status.Code.RESOURCE_EXHAUSTED);
        assertThat(volumes()).isEmpty();
        assertThat(all).noneMatch(Files::exists);

        CompletableFuture<Void> published =
                CompletableFuture.runAsync(
                        () ->
                                atOnce(
                                        all,
                                        it ->
                                                whenItMay(
                                                        PASSING,
                                                        () -> client.publish(VERSION, it))));
        Running _ = region.serving(region.holder(), "pod-0");
        published.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(volumes())
                .containsExactlyInAnyOrderElementsOf(all.stream().map(Path::toString).toList());
        assertShowsAll(all.getFirst());
        assertShowsAll(all.getLast());

        atOnce(all, target -> whenItMay(PASSING, () -> client.unpublish(target)));
        assertThat(volumes()).isEmpty();
        assertThat(all).noneMatch(Files::exists);
        assertThat(descriptors(driver))
                .as("less than one more for each volume")
                .isLessThan(descriptors + PODS);
    }

    /** Does something for each target, each in a thread of its own. */
    private static void atOnce(List<Path> targets, Consumer<Path> call) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture.allOf(
                            targets.stream()
                                    .map(
                                            it ->
                                                    CompletableFuture.runAsync(
                                                            () -> call.accept(it), threads))
                                    .toArray(CompletableFuture<?>[]::new))
                    .join();
        }
    }

    /** Where something is mounted below the kubelet's directory. */
    private List<String> volumes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                .map(line -> line.split(" ", -1)[MOUNTPOINT])
                .filter(it -> it.startsWith(kubelet + "/"))
                .toList();
    }

    private static long descriptors(Running driver) throws IOException {
        try (Stream<Path> open =
                Files.list(Path.of("/proc/%d/fd".formatted(driver.process().pid())))) {
            return open.count();
        }
    }

    private boolean isReady() {
        return client.identity().probe(ProbeRequest.getDefaultInstance()).getReady().getValue();
    }

    /** Until the driver says that a call for the target is under way. */
    private void awaitBusy(Path target) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            client.unpublish(target);
        }
    }

    private static int status(int port, String path) throws Exception {
        HttpURLConnection connection =
                (HttpURLConnection)
                        URI.create("http://127.0.0.1:%d/health/%s".formatted(port, path))
                                .toURL()
                                .openConnection();
        connection.setReadTimeout((int) PATIENCE.toMillis());
        return connection.getResponseCode();
    }

    /** For who starts them again. */
    @Test
    void holderAndDriverSayWhetherTheyAreWell() throws Exception {
        int holderPort = Ports.free();
        int driverPort = Ports.free();
        Running _ = driver("--health-port=" + driverPort);
        assertThat(status(driverPort, "live")).isEqualTo(200);
        assertThat(status(driverPort, "ready")).as("though nothing is mounted").isEqualTo(200);

        Running _ = region.holder("--health-port=" + holderPort);
        assertThat(status(holderPort, "live")).isEqualTo(200);
        assertThat(status(holderPort, "ready")).isEqualTo(200);

        // A process whose socket is gone cannot be reached, so it is not live.
        Files.delete(socket);
        assertThat(status(driverPort, "live")).isEqualTo(503);
        Files.delete(directory.resolve("holder/holder.sock"));
        assertThat(status(holderPort, "live")).isEqualTo(503);
        assertThat(status(holderPort, "ready")).isEqualTo(503);
    }

    @Test
    void saysWhoItIs() throws Exception {
        Running _ = driver();

        assertThat(client.identity().getPluginInfo(GetPluginInfoRequest.getDefaultInstance()))
                .satisfies(
                        info -> {
                            assertThat(info.getName()).isEqualTo("csi.forebay.dev");
                            assertThat(info.getVendorVersion()).isNotEmpty();
                        });
        assertThat(client.node().nodeGetInfo(NodeGetInfoRequest.getDefaultInstance()).getNodeId())
                .isEqualTo("node-1");
        assertThat(Files.getPosixFilePermissions(socket)).hasSize(2);
    }

    /** Its own controller makes volumes of one version. */
    @Test
    void passesCsiSanity() throws Exception {
        Running _ = region.serving(region.holder(), "pod-0");
        Running _ = driver();
        Path controller = directory.resolve("controller.sock");
        Path output = directory.resolve("csi-sanity.log");
        targets.add(kubelet.resolve("csi-mount/target"));

        try (CsiVolumes _ = new CsiVolumes(controller, Map.of("dataset", VERSION.toString()))) {
            int exit =
                    ChildProcess.start(
                                    new ProcessBuilder(
                                                    Toolbox.ofThisMachine().csiSanity().toString(),
                                                    "--csi.endpoint=" + socket,
                                                    "--csi.controllerendpoint=" + controller,
                                                    "--csi.mountdir="
                                                            + kubelet.resolve("csi-mount"),
                                                    "--csi.stagingdir="
                                                            + kubelet.resolve("csi-staging"),
                                                    "--ginkgo.focus=Identity Service|Node Service",
                                                    "--ginkgo.no-color",
                                                    "--ginkgo.v")
                                            .redirectErrorStream(true)
                                            .redirectOutput(output.toFile()))
                            .waitFor();
            assertThat(exit).as(Files.readString(output)).isZero();
        }
        assertThat(Files.readString(output))
                .containsPattern("SUCCESS! -- [1-9][0-9]* Passed \\| 0 Failed");
    }
}
