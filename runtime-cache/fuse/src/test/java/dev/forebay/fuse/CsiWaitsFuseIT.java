package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.csi.ProbeRequest;
import dev.forebay.fuse.CheckingReader.Way;
import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.HeldMountFixture.Seen;
import dev.forebay.model.DatasetVersion;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
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
import org.junit.jupiter.api.Test;

/**
 * Checks from a kubelet's side what the driver does while something that it needs is missing or
 * goes.
 */
class CsiWaitsFuseIT extends CsiSetUp {

    private static final DatasetVersion NONE = DatasetVersion.of("no", "such", "v1");

    /** A call's deadline; one second of it is for the answer. */
    private static final Duration HASTE = Duration.ofSeconds(4);

    /** A call's deadline; three seconds of it are for the answers to all pods. */
    private static final Duration HASTE_OF_MANY = Duration.ofSeconds(12);

    /**
     * More than the 110 pods that kubelets permit by default, and more than a driver's limit of
     * calls.
     */
    private static final int PODS = 200;

    /** The statuses after which kubelets retry, and a retry may succeed. */
    private static final Set<Status.Code> PASSING =
            Set.of(Status.Code.ABORTED, Status.Code.RESOURCE_EXHAUSTED, Status.Code.UNAVAILABLE);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The index of the mount point in a line of mountinfo. */
    private static final int MOUNTPOINT = 4;

    /** Shorter by the time that the call took to arrive. */
    private static final String WAITED = "; waited [1-3]\\.\\d s$";

    /** Readers notice neither the driver's death nor the pod's. */
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

    /** While no process serves a held mount, accesses to it block in the kernel. */
    @Test
    void publishedVolumesStayAndNewOnesWaitWhileNoPodServes() throws Exception {
        // The portable view, because the kernel shows an image's directory without a server.
        Running holder = region.holder();
        Running pod = region.serving(holder, "pod-0", "--view=portable");
        region.mount(OTHER);
        Running _ = driver("--image-timeout=0");
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

    /** Retries as a kubelet does, while the answer is one of these. */
    private static void whenItMay(Set<Status.Code> passing, Runnable call) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
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
    void theDriverReplacesAVolumeWhoseMountIsLost() throws Exception {
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

    /** A pod gets an event with the reason of its wait only when a call ends. */
    @Test
    void theFirstPublishCallFailsEarlyIfTheVersionIsNotMounted() throws Exception {
        Running _ = region.serving(region.holder(), "pod-0");
        Running _ = region.driver(socket, kubelet, "--first-timeout=1");
        Path target = target("1");

        Status first = refusal(() -> client.publish(OTHER, target));

        assertThat(first.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(first.getDescription())
                .contains("vision/digits@v2 is not mounted on this node")
                .as("less than the caller's deadline of a minute")
                .containsPattern("waited [123]?[0-9]\\.");
        try (CsiClient patient = new CsiClient(socket, Duration.ofSeconds(10))) {
            assertThat(refusal(() -> patient.publish(OTHER, target)).getDescription())
                    .as("the next call waits until its caller's deadline")
                    .doesNotContainPattern("waited [01]\\.");
        }
    }

    @Test
    void theDriverWaitsForAVersionAndReportsThatInTime() throws Exception {
        Running driver = driver();
        Path target = target("1");
        try (CsiClient hasty = new CsiClient(socket, HASTE)) {
            assertThat(isReady()).isFalse();
            assertThat(refusal(() -> hasty.publish(VERSION, target)).getDescription())
                    .contains("Forebay is not mounted at")
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
        waiting.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        assertShowsAll(target);

        Path never = target("2");
        CompletableFuture<Status> told =
                CompletableFuture.supplyAsync(() -> refusal(() -> publishWhenItMay(NONE, never)));
        assertThat(refusal(() -> awaitBusy(never)).getDescription()).contains("is running");
        int _ = driver.stop();
        assertThat(told.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS).getCode())
                .isEqualTo(Status.Code.UNAVAILABLE);
        assertShowsAll(target);
    }

    /** Simulates the start of a node: its pods start at once, and nothing is mounted yet. */
    @Test
    void aFullNodeGetsItsVolumesEvenIfPodsStartBeforeTheMount() throws Exception {
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
                .as("each call gets an answer in time")
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
        published.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        assertThat(volumes())
                .containsExactlyInAnyOrderElementsOf(all.stream().map(Path::toString).toList());
        assertShowsAll(all.getFirst());
        assertShowsAll(all.getLast());

        atOnce(all, target -> whenItMay(PASSING, () -> client.unpublish(target)));
        assertThat(volumes()).isEmpty();
        assertThat(all).noneMatch(Files::exists);
        assertThat(descriptors(driver))
                .as("less than one more descriptor per volume")
                .isLessThan(descriptors + PODS);
    }

    /** Runs a call for each target, each in its own thread. */
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

    /** Returns the mount points below the kubelet's directory. */
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

    /** Waits until the driver answers that a call for the target is running. */
    private void awaitBusy(Path target) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (System.nanoTime() < deadline) {
            client.unpublish(target);
        }
    }
}
