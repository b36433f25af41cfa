package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.HeldMountFixture.Step;
import dev.forebay.fuse.view.View;
import dev.forebay.model.DatasetVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * "Views change under running jobs": checks what processes in a version see while its view changes.
 */
class JobsInViewsFuseIT extends HeldViews {

    private static final DatasetVersion NEXT = DatasetVersion.of("vision", "digits", "v2");

    private final List<Job> jobs = new ArrayList<>();
    private final List<Walk> walks = new ArrayList<>();
    private int containers;

    /** Starts a job of each kind: on the node, in a container, and with the version as a volume. */
    private void startJobs() throws Exception {
        jobs.add(Job.start(region, region.root(), List.of()));
        jobs.add(Job.start(region, region.root(), inContainer("exec \"$@\"")));
        Path bound = Files.createDirectory(directory.resolve("bound-" + containers));
        List<String> binding =
                new ArrayList<>(
                        inContainer("mount --bind \"$1\" \"$2\" && shift 2 && exec \"$@\""));
        binding.addAll(List.of(region.root().toString(), bound.toString()));
        jobs.add(Job.start(region, bound, binding));
        walks.add(Walk.start(region, region.root()));
        walks.add(Walk.start(region, region.tree()));
    }

    private List<String> inContainer(String script) {
        containers++;
        return List.of("unshare", "--mount", "--propagation", "slave", "sh", "-c", script, "sh");
    }

    /** Changes the view, and checks that earlier jobs do not notice it. */
    private void change(Step change, View expected) throws Exception {
        startJobs();
        changeMore(change, expected);
    }

    private void changeMore(Step change, View expected) throws Exception {
        change.run();
        // Versions without readers are not prewarmed.
        readAll();
        region.awaitView(expected);
        for (Job job : jobs) {
            job.look();
        }
        readAll();
    }

    /** Ends all jobs, and waits until all unused views are gone. */
    private void endJobs() throws Exception {
        for (Walk walk : walks) {
            walk.end();
        }
        for (Job job : jobs) {
            job.look();
            job.end();
        }
        await("no image is covered", this::seesAll);
        readAll();
    }

    private boolean seesAll() throws IOException {
        return ImageTreeContract.imagesAt(region.root())
                == ImageTreeContract.mountsAt(region.root()).size();
    }

    /** A condition on the state of the kernel. */
    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(String what, Condition condition) throws IOException {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            LockSupport.parkNanos(20_000_000);
        }
    }

    private void replace(String... options) throws Exception {
        pod.kill();
        pod = restarted(options);
    }

    @Test
    void jobsDoNotNoticeASuccessorWithAnotherView() throws Exception {
        change(() -> replace("--view=on-demand"), View.ON_DEMAND);
        change(() -> replace("--view=portable"), View.PORTABLE);
        change(
                () -> {
                    replace();
                    // Earlier reads may fill the page cache without starting a prewarm.
                    region.awaitImage();
                },
                View.NATIVE);
        endJobs();
    }

    @Test
    void jobsDoNotNoticeASuccessorThatKeepsTheView() throws Exception {
        change(
                () -> {
                    replace();
                    awaitCountedAsNative();
                },
                View.NATIVE);
        endJobs();
    }

    @Test
    void jobsDoNotNoticeASuccessorWithAnotherCacheDirectory() throws Exception {
        change(
                () -> {
                    pod.kill();
                    String elsewhere = "--cache-directory=" + directory.resolve("pod-1");
                    pod = region.serving(holder, "pod-1", elsewhere);
                    region.awaitView(View.ON_DEMAND);
                },
                View.NATIVE);
        assertThat(ImageTreeContract.mountsAt(region.root()).getLast()).contains("/pod-1/");
        endJobs();
    }

    @Test
    void jobsDoNotNoticeThatANativeViewYieldsItsSpace() throws Exception {
        change(
                () -> {
                    replace("--pack-cache=8M");
                    pod.await("other versions need its space");
                },
                View.ON_DEMAND);
        // Pages in the page cache need no read from the pod, which would start a prewarm.
        change(() -> replace("--view=native"), View.NATIVE);
        endJobs();
    }

    @Test
    void jobsDoNotNoticeThatAnotherVersionIsMountedAndUnmounted() throws Exception {
        Path next = region.root().resolveSibling(NEXT.version());
        change(
                () -> {
                    region.mount(NEXT);
                    await("its image", () -> !ImageTreeContract.mountsAt(next).isEmpty());
                },
                View.NATIVE);
        changeMore(
                () -> {
                    region.unmount(NEXT);
                    await("no image", () -> ImageTreeContract.mountsAt(next).isEmpty());
                },
                View.NATIVE);
        endJobs();
    }

    @Test
    void unmountingAVersionRemovesItsViewsEvenDuringAJob() throws Exception {
        Job job = Job.start(region, region.root(), List.of());
        replace("--view=on-demand");
        region.awaitView(View.ON_DEMAND);
        job.look();
        region.unmount();
        await("no image", () -> ImageTreeContract.imagesAt(region.root()) == 0);
    }
}
