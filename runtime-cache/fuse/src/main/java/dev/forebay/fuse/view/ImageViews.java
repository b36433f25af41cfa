package dev.forebay.fuse.view;

import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.PeriodicTask;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when images are attached to the folders of versions in the mounted tree, and detached
 * again. The first image reads packs that FUSE serves. A second one on top reads packs on the
 * node's disk. It needs all packs there, and is detached when their space is needed. A version is
 * visible at its path without an image too, so nothing waits for images. {@link ViewMaintenance}
 * and {@link ViewUpgrader} do the work.
 *
 * <p>The kernel's mount table is read each time, because another process may have served the mount
 * before. A program's open files and working directory stay with the view that it came to. The node
 * cache keeps the packs of such a view until it is gone. Thread-safe.
 */
public final class ImageViews implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ImageViews.class);
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final int TICKS_TO_RETRY = 10;
    private static final long CLOSE_SECONDS = 5;

    private final Supplier<Optional<Path>> tree;
    private final ImageStacks stacks;
    private final Images images;
    private final ViewMaintenance upkeep;
    private final ViewUpgrader improvement;

    /** Runs {@link #upkeep}. */
    private final PeriodicTask upkeepTask =
            new PeriodicTask(
                    Thread.ofPlatform().daemon().name("views"),
                    TICK,
                    "Cannot update views",
                    this::tick);

    /** Whether {@link #upkeep} is to run at the next tick. */
    private final AtomicBoolean asked = new AtomicBoolean();

    // Used by the thread of the task only.
    private int ticks;
    private boolean served;

    /** Runs {@link #improvement}. */
    private final ExecutorService improvementThread =
            Executors.newSingleThreadExecutor(
                    task -> Thread.ofPlatform().daemon().name("images").unstarted(task));

    /** Whether a round of improvement is queued that has not begun. */
    private final AtomicBoolean improvesSoon = new AtomicBoolean();

    /**
     * Creates the object without attaching images; see {@link #show}.
     *
     * @param tree returns the absolute path where the tree is mounted that this process serves;
     *     empty while it serves none, because another process then manages the images
     * @param best the best view to attach; a better view of a predecessor is detached
     * @param images processes that serve the mount in turn may share their directory
     */
    public ImageViews(
            Supplier<Optional<Path>> tree,
            View best,
            ImageDevices devices,
            Images images,
            MountedPacks packs,
            LocalPacks nodePacks) {
        NativeVersions natives = new NativeVersions(System::nanoTime);
        this.tree = tree;
        this.stacks = new ImageStacks(best);
        this.images = images;
        this.upkeep = new ViewMaintenance(stacks, images, nodePacks, natives);
        this.improvement =
                new ViewUpgrader(best, stacks, devices, images, packs, nodePacks::open, natives);
        upkeepTask.startAfterPause();
    }

    /** Detaches the images of all versions except these, before those versions leave the tree. */
    public void retain(List<Mount> mounts) {
        stacks.retain(
                mounts.stream().filter(mount -> mount.state() != Mount.State.EVICTING).toList());
        tree.get().ifPresent(stacks::detach);
    }

    /** Starts to improve the views of the versions that were passed to {@link #retain}. */
    public void show() {
        asked.set(true);
        upkeepTask.wake();
    }

    /**
     * Returns the images in use by their digest at the time of the fetch, including those that a
     * predecessor attached.
     */
    public Map<Digest, Path> images() {
        Map<Digest, Path> inUse = images.relied();
        tree.get().map(root -> TreeMounts.of(root).allImages()).orElse(List.of()).stream()
                .filter(images::isOurs)
                .forEach(image -> inUse.putIfAbsent(Images.digest(image), image));
        return inUse;
    }

    /**
     * Verifies an image again. If it is damaged, its views are detached and it is fetched again.
     */
    public void distrust(Digest image) {
        improvementThread.execute(
                () -> {
                    improvement.distrust(image);
                    inTree(improvement::compareAll);
                });
        show();
    }

    /**
     * Returns the number of versions in each view; all are portable if this process serves no
     * mount.
     */
    public Map<View, Long> counts() {
        Map<Path, List<Path>> attached =
                tree.get().map(root -> TreeMounts.of(root).images()).orElse(Map.of());
        Map<View, Long> counts =
                attached.values().stream()
                        .collect(Collectors.groupingBy(ImageStacks::view, Collectors.counting()));
        counts.put(View.PORTABLE, Math.max(0L, stacks.wanted().size() - (long) attached.size()));
        return counts;
    }

    /** Returns the versions with a native view; none if this process serves no mount. */
    public Set<DatasetVersion> natives() {
        return tree.get().map(stacks::below).orElse(Map.of()).entrySet().stream()
                .filter(each -> ImageStacks.view(each.getValue()) == View.NATIVE)
                .map(each -> each.getKey().version())
                .collect(Collectors.toSet());
    }

    private void tick() {
        boolean serves = tree.get().isPresent();
        if (asked.getAndSet(false) || serves != served || ++ticks % TICKS_TO_RETRY == 0) {
            bring();
        }
        served = serves;
    }

    private void bring() {
        inTree(upkeep::checkAll);
        if (improvesSoon.compareAndSet(false, true)) {
            var _ =
                    CatchAll.closeOnFailure(
                            () -> improvesSoon.set(false),
                            () ->
                                    improvementThread.submit(
                                            () -> {
                                                improvesSoon.set(false);
                                                inTree(improvement::improve);
                                            }));
        }
    }

    private void inTree(Consumer<Path> work) {
        boolean _ =
                CatchAll.run(
                        () -> tree.get().ifPresent(work), e -> LOG.error("Cannot update views", e));
    }

    /** Leaves the images attached: they go with the tree, or the next server manages them. */
    @Override
    public void close() {
        upkeepTask.interrupt();
        upkeepTask.close(Duration.ofSeconds(CLOSE_SECONDS));
        improvementThread.shutdownNow();
        try {
            boolean _ = improvementThread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
