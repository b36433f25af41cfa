package dev.forebay.fuse.view;

import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the images of versions onto their folders in the mounted tree, and takes them off again: one
 * over packs that FUSE serves, and on top of that, when all packs are on the node's disk and their
 * room is not needed, one over those. A version is seen at its path without any, too, so nothing
 * waits for them. When that is done is decided here; what is done is the affair of {@link
 * ViewUpkeep} and {@link ViewImprovement}.
 *
 * <p>What is attached is asked of the kernel each time, for another process may have served the
 * mount before. Whatever a process has open, and where it is, stays with the view that it came to;
 * the node cache keeps the packs' bytes as long as any such view is there. Safe for use by many
 * threads.
 */
public final class ImageViews implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ImageViews.class);
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final int TICKS_TO_RETRY = 10;
    private static final long CLOSE_SECONDS = 5;

    private final Supplier<Optional<Path>> tree;
    private final ImageStacks stacks;
    private final Images images;
    private final ViewUpkeep upkeep;
    private final ViewImprovement improvement;

    /** Of {@link #upkeep}. */
    private final ScheduledExecutorService upkeepThread =
            Executors.newSingleThreadScheduledExecutor(
                    task -> Thread.ofPlatform().daemon().name("views").unstarted(task));

    // Of the thread of upkeep.
    private int ticks;
    private boolean served;

    /** Of {@link #improvement}. */
    private final ExecutorService improvementThread =
            Executors.newSingleThreadExecutor(
                    task -> Thread.ofPlatform().daemon().name("images").unstarted(task));

    /** Whether there is a round of improvement that has not begun. */
    private final AtomicBoolean improvesSoon = new AtomicBoolean();

    /**
     * Attaches nothing yet, see {@link #show}.
     *
     * @param tree where the tree is mounted that this process serves now, an absolute path; empty
     *     while it serves none: then the images are another one's affair
     * @param best no better view is attached, and one that a predecessor has attached is taken off
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
        this.upkeep = new ViewUpkeep(stacks, images, nodePacks, natives);
        this.improvement =
                new ViewImprovement(best, stacks, devices, images, packs, nodePacks::open, natives);
        var _ =
                upkeepThread.scheduleWithFixedDelay(
                        this::tick, TICK.toSeconds(), TICK.toSeconds(), TimeUnit.SECONDS);
    }

    /** Takes off the images of all versions but these, before they leave the tree. */
    public void retain(List<Mount> mounts) {
        stacks.retain(
                mounts.stream().filter(mount -> mount.state() != Mount.State.EVICTING).toList());
        tree.get().ifPresent(stacks::takeOff);
    }

    /** Shows the versions that {@link #retain} was told of as well as it can be done, soon. */
    public void show() {
        upkeepThread.execute(this::bring);
    }

    /**
     * The images that are in use, those too that a predecessor has attached, and what their digests
     * were when they came.
     */
    public Map<Digest, Path> images() {
        Map<Digest, Path> inUse = images.relied();
        tree.get().map(root -> TreeMounts.of(root).allImages()).orElse(List.of()).stream()
                .filter(images::isOurs)
                .forEach(image -> inUse.putIfAbsent(Images.digest(image), image));
        return inUse;
    }

    /** Has an image compared anew, takes off what it shows if it is wrong, and has it fetched. */
    public void distrust(Digest image) {
        improvementThread.execute(
                () -> {
                    improvement.distrust(image);
                    inTree(improvement::compareAll);
                });
        show();
    }

    /** How many versions are shown in which way; all portably if this process serves none. */
    public Map<View, Long> counts() {
        Map<Path, List<Path>> attached =
                tree.get().map(root -> TreeMounts.of(root).images()).orElse(Map.of());
        Map<View, Long> counts =
                attached.values().stream()
                        .collect(Collectors.groupingBy(ImageStacks::view, Collectors.counting()));
        counts.put(View.PORTABLE, Math.max(0L, stacks.wanted().size() - (long) attached.size()));
        return counts;
    }

    /** The versions that are shown natively; none if this process serves none. */
    public Set<DatasetVersion> natives() {
        return tree.get().map(stacks::below).orElse(Map.of()).entrySet().stream()
                .filter(each -> ImageStacks.view(each.getValue()) == View.NATIVE)
                .map(each -> each.getKey().version())
                .collect(Collectors.toSet());
    }

    /** Whatever fails, it is tried again; and what leaves this ends the ticks. */
    private void tick() {
        try {
            boolean serves = tree.get().isPresent();
            if (serves != served || ++ticks % TICKS_TO_RETRY == 0) {
                bring();
            }
            served = serves;
        } catch (RuntimeException | Error e) {
            notLookedAfter(e);
        }
    }

    private static void notLookedAfter(Throwable e) {
        try {
            LOG.error("Views are looked after again in a moment", e);
        } catch (RuntimeException | Error worse) {
            // As above.
        }
    }

    private void bring() {
        inTree(upkeep::lookAfter);
        if (improvesSoon.compareAndSet(false, true)) {
            try {
                improvementThread.execute(
                        () -> {
                            improvesSoon.set(false);
                            inTree(improvement::improve);
                        });
            } catch (RuntimeException | Error e) {
                improvesSoon.set(false);
                LOG.error("Views are not improved for now", e);
            }
        }
    }

    private void inTree(Consumer<Path> work) {
        try {
            tree.get().ifPresent(work);
        } catch (RuntimeException | Error e) {
            LOG.error("Views stay as they are", e);
        }
    }

    /** Lets the images be where they are: they go with the tree, or are its next server's. */
    @Override
    public void close() {
        upkeepThread.shutdownNow();
        try {
            boolean _ = upkeepThread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            improvementThread.shutdownNow();
            boolean _ = improvementThread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            improvementThread.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
