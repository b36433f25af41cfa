package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.CheckingReader.Way;
import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.HeldMountFixture.Seen;
import dev.forebay.fuse.view.View;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** "Views change under running jobs", by whole pods that are killed and replaced. */
class HeldViewsFuseIT extends HeldViews {

    /** The number of reads in each way that must work without a pod. */
    private static final int READS = 50;

    private static final Set<Way> WAYS = EnumSet.of(Way.BUFFERED, Way.MAPPED, Way.SMALL_FILES);

    /** The readers have the version's folder bind-mounted, as a container may have. */
    @Test
    void nativeReadersDoNotNoticeThatThePodIsKilledAndReplaced() throws Exception {
        Path bound = Files.createDirectory(directory.resolve("bound"));
        List<Running> readers =
                HeldMountFixture.readers(
                        directory,
                        bound,
                        1,
                        WAYS,
                        List.of(
                                "unshare",
                                "--mount",
                                "--propagation",
                                "slave",
                                "sh",
                                "-c",
                                "mount --rbind \"$0\" \"$1\" && shift && exec \"$@\"",
                                region.root().toString(),
                                bound.toString()));
        long _ = pod.kill();
        awaitMoreReads(readers);
        pod = restarted();
        awaitCountedAsNative();

        Seen seen = HeldMountFixture.end(readers);
        assertThat(seen.complaints()).isEmpty();
        assertThat(seen.operations()).isPositive();
        readAll();
    }

    private static boolean moreReads(Map<Way, Long> before, Map<Way, Long> now) {
        return WAYS.stream()
                .allMatch(way -> now.getOrDefault(way, 0L) > before.getOrDefault(way, 0L) + READS);
    }

    /** Waits until readers have read in each way without a pod, so none of them waits for one. */
    private static void awaitMoreReads(List<Running> readers) {
        Map<Way, Long> before = HeldMountFixture.operations(readers);
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!moreReads(before, HeldMountFixture.operations(readers))) {
            assertThat(System.nanoTime()).as("reads without a pod").isLessThan(deadline);
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** A successor with another {@code --view} changes the view soon after it serves. */
    @Test
    void aSuccessorChangesTheViewToTheOneOfItsOptions() throws Exception {
        pod.kill();
        pod = restarted("--view=on-demand");
        region.awaitView(View.ON_DEMAND);
        readAll();
        pod.kill();
        pod = restarted("--view=portable");
        region.awaitView(View.PORTABLE);
        readAll();
        pod.stop();
        pod = restarted();
        region.awaitImage();
        readAll();
        region.awaitView(View.NATIVE);
        readAll();
    }

    /** The kernel asks the successor about the tree, which it never asked before. */
    @Test
    void aSuccessorServesLocalBytesEvenIfNoWorkerIsReachable() throws Exception {
        Running next = region.standby(holder, "pod-1");
        awaitManifestOf("pod-1");
        region.stopWorker();
        pod.kill();
        pod = next;
        holder.await(HeldMountFixture.serves(pod));
        readAll();
    }

    private void awaitManifestOf(String name) throws IOException {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!hasManifest(directory.resolve(name).resolve("manifests"))) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(2_000_000);
        }
    }

    private static boolean hasManifest(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.anyMatch(file -> file.toString().endsWith(".sqlite"));
        }
    }
}
