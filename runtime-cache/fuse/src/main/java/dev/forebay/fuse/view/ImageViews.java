package dev.forebay.fuse.view;

import dev.forebay.fuse.linux.DetachedMount;
import dev.forebay.fuse.nodecache.HeldPacks;
import dev.forebay.fuse.nodecache.NodePacks;
import dev.forebay.linux.DiskFile;
import dev.forebay.linux.SystemCallException;
import dev.forebay.manifest.Pack;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
 * waits for them.
 *
 * <p>What is attached is asked of the kernel each time, for another process may have served the
 * mount before. Files that are open stay with the view that they were opened in; the node cache
 * keeps the packs' bytes as long as any such view is there. Safe for use by many threads.
 */
public final class ImageViews implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ImageViews.class);
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final int TICKS_TO_RETRY = 10;
    private static final long CLOSE_SECONDS = 5;

    private final Supplier<Optional<Path>> tree;
    private final View best;
    private final ImageStacks stacks;
    private final ImageDevices devices;
    private final Images images;
    private final MountedPacks packs;
    private final Supplier<Optional<NodePacks>> nodePacks;
    private final NativeVersions natives = new NativeVersions(System::nanoTime);

    /** Takes off what must not be seen any more, and waits for nothing. */
    private final ScheduledExecutorService upkeep =
            Executors.newSingleThreadScheduledExecutor(
                    task -> Thread.ofPlatform().daemon().name("views").unstarted(task));

    // Of upkeep.
    private int ticks;
    private boolean served;

    /** How often something of a version had been found wrong when that was looked at last. */
    private final Map<DatasetVersion, Long> foundWrong = new HashMap<>();

    /** Fetches images and attaches them, which may take minutes. */
    private final ExecutorService improvement =
            Executors.newSingleThreadExecutor(
                    task -> Thread.ofPlatform().daemon().name("images").unstarted(task));

    /** Whether there is a round of improvement that has not begun. */
    private final AtomicBoolean improvesSoon = new AtomicBoolean();

    /** Why versions could not be shown better. Of improvement. */
    private final Map<DatasetVersion, String> problems = new HashMap<>();

    /**
     * Attaches nothing yet, see {@link #show}.
     *
     * @param tree where the tree is mounted that this process serves now, an absolute path; empty
     *     while it serves none: then the images are another one's affair
     * @param best no better view is attached, and one that a predecessor has attached is taken off
     * @param images processes that serve the mount in turn may share their directory
     * @param nodePacks packs on the node's disk, if they can be used now
     */
    public ImageViews(
            Supplier<Optional<Path>> tree,
            View best,
            ImageDevices devices,
            Images images,
            MountedPacks packs,
            Supplier<Optional<NodePacks>> nodePacks) {
        this.tree = tree;
        this.best = best;
        this.stacks = new ImageStacks(best);
        this.devices = devices;
        this.images = images;
        this.packs = packs;
        this.nodePacks = nodePacks;
        var _ =
                upkeep.scheduleWithFixedDelay(
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
        upkeep.execute(this::bring);
    }

    /** The images that are in use, and what their digests were when they came. */
    public Map<Digest, Path> images() {
        return images.relied();
    }

    /** Has an image compared anew, takes off what it shows if it is wrong, and has it fetched. */
    public void distrust(Digest image) {
        improvement.execute(
                () -> {
                    images.distrust(image);
                    inTree(
                            root ->
                                    stacks.below(root)
                                            .keySet()
                                            .forEach(each -> compare(root, each)));
                });
        show();
    }

    /** How many versions are shown in which way; all portably if this process serves none. */
    public Map<View, Long> counts() {
        Map<Path, List<Path>> attached = tree.get().map(AttachedImages::below).orElse(Map.of());
        Map<View, Long> counts =
                attached.values().stream()
                        .collect(Collectors.groupingBy(ImageStacks::view, Collectors.counting()));
        counts.put(View.PORTABLE, Math.max(0L, stacks.wanted().size() - (long) attached.size()));
        return counts;
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
        inTree(this::lookAfter);
        if (improvesSoon.compareAndSet(false, true)) {
            try {
                improvement.execute(
                        () -> {
                            improvesSoon.set(false);
                            inTree(this::improve);
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

    private void lookAfter(Path root) {
        stacks.takeOff(root);
        Map<Mount, List<Path>> wanted = stacks.below(root);
        wanted.forEach((mount, stack) -> lookAfter(root, mount, stack));
        List<DatasetVersion> versions = wanted.keySet().stream().map(Mount::version).toList();
        natives.retain(versions);
        foundWrong.keySet().retainAll(versions);
        nodePacks.get().filter(NodePacks::lacksRoom).ifPresent(_ -> makeRoom(root));
    }

    private void lookAfter(Path root, Mount mount, List<Path> stack) {
        if (ImageStacks.view(stack) == View.NATIVE) {
            lookAfterNative(root, mount, stack);
        }
        nodePacks.get().ifPresent(cache -> renewPages(root, mount, stack, cache));
    }

    /**
     * Takes off images of whose pages the kernel may have wrong ones: a small read, which is not
     * compared, may have brought them there before that was found. What is attached next has none.
     */
    private void renewPages(Path root, Mount mount, List<Path> stack, NodePacks cache) {
        long now = cache.timesFoundWrong(mount.manifest().digest());
        long before = foundWrong.getOrDefault(mount.version(), 0L);
        foundWrong.put(mount.version(), Math.max(now, before));
        if (!stack.isEmpty() && now > before) {
            LOG.info("{} is shown anew: not all that was read of it was right", mount.version());
            stacks.detach(root, mount, images::isOurs);
        }
    }

    private void lookAfterNative(Path root, Mount mount, List<Path> stack) {
        if (!images.isOurs(stack.getLast())) {
            // Over packs of a cache that nobody looks after now.
            lower(root, mount, "its packs are in another process's directory");
        } else {
            nodePacks.get().ifPresent(cache -> check(root, mount, cache));
        }
    }

    private void improve(Path root) {
        Map<Mount, List<Path>> wanted = stacks.below(root);
        wanted.forEach(
                (mount, stack) -> {
                    View view = ImageStacks.view(stack);
                    if (view.compareTo(best) < 0) {
                        improve(root, mount, view);
                    }
                });
        problems.keySet().retainAll(wanted.keySet().stream().map(Mount::version).toList());
        images.keep(wanted.keySet().stream().map(Images::name).collect(Collectors.toSet()));
    }

    private void improve(Path root, Mount mount, View view) {
        natives.remove(mount.version());
        try {
            if (view == View.PORTABLE) {
                List<Path> served =
                        packs.of(mount.manifest()).stream()
                                .map(pack -> served(root, mount, pack.id()))
                                .toList();
                for (Path pack : served) {
                    forgetPages(pack);
                }
                attach(root, mount, View.ON_DEMAND, served, "over packs that the pod serves");
            }
            if (best == View.NATIVE && natives.mayBeNative(mount.version())) {
                Optional<HeldPacks> whole =
                        nodePacks.get().flatMap(cache -> cache.hold(mount.manifest().digest()));
                if (whole.isPresent()) {
                    attachNative(root, mount, whole.get());
                }
            }
            problems.remove(mount.version());
        } catch (RuntimeException | SystemCallException | Error e) {
            natives.remove(mount.version());
            complain(mount.version(), e);
        }
    }

    /** What the kernel has of a pack may have come there before some of it was found wrong. */
    private static void forgetPages(Path pack) throws SystemCallException {
        try (DiskFile file = DiskFile.openToRead(pack)) {
            file.forget(0, DiskFile.TO_THE_END);
        }
    }

    /** From when it is mounted on the kernel has the packs' files open, and that holds them. */
    private void attachNative(Path root, Mount mount, HeldPacks whole) throws SystemCallException {
        try (whole) {
            Map<PackId, Path> files = whole.files();
            List<Path> local =
                    packs.of(mount.manifest()).stream()
                            .map(Pack::id)
                            .map(id -> Objects.requireNonNull(files.get(id)))
                            .toList();
            // Before it is seen: one that is found and not known here is a predecessor's.
            boolean _ = natives.isNative(mount.version(), true);
            attach(root, mount, View.NATIVE, local, "from this node's disk");
        }
    }

    /**
     * Looks after a native view, which a predecessor may have attached: then it is whole until
     * something is found wrong. What is mended on the disk stays wrong in the pages that the kernel
     * has of the view.
     */
    private void check(Path root, Mount mount, NodePacks cache) {
        Digest manifest = mount.manifest().digest();
        boolean whole = cache.isWhole(manifest);
        boolean wrong =
                natives.isKnownWhole(mount.version()) ? !whole : cache.hasLostSome(manifest);
        if (wrong) {
            natives.remove(mount.version());
            lower(root, mount, "not all of it was right on this node's disk");
            cache.renew(manifest);
        } else if (!natives.isNative(mount.version(), whole)) {
            cache.use(manifest);
        }
    }

    private void makeRoom(Path root) {
        Optional<DatasetVersion> version = natives.toYield();
        for (Mount mount : stacks.wanted()) {
            if (version.equals(Optional.of(mount.version()))) {
                lower(root, mount, "others need its room on this node's disk");
            }
        }
    }

    private void lower(Path root, Mount mount, String why) {
        LOG.info("{} is shown on demand again: {}", mount.version(), why);
        stacks.detach(root, mount, image -> Images.view(image) == View.NATIVE);
    }

    /** Once, not at every attempt. */
    private void complain(DatasetVersion version, Throwable e) {
        String why = e instanceof ForebayException ? String.valueOf(e.getMessage()) : e.toString();
        if (!why.equals(problems.put(version, why))) {
            LOG.warn("{} cannot be shown as well as it should be: {}", version, why);
        }
    }

    private void attach(Path root, Mount mount, View view, List<Path> packs, String how)
            throws SystemCallException {
        compare(root, mount);
        Path image = images.of(mount, view);
        try (DetachedMount mounted = devices.mount(image, packs)) {
            if (stacks.attach(root, mount, mounted)) {
                LOG.info("{} is shown by its image, {}", mount.version(), how);
            }
        } catch (SystemCallException e) {
            if (DetachedMount.isDamage(e)) {
                images.remove(mount, DetachedMount.explain(e));
            }
            throw e;
        }
    }

    private void compare(Path root, Mount mount) {
        if (!images.check(mount)) {
            // What an image that was found wrong shows is as wrong.
            stacks.detach(root, mount, images::isOurs);
        }
    }

    private static Path served(Path root, Mount mount, PackId pack) {
        return root.resolve(PackFolder.NAME)
                .resolve(PackFolder.name(mount.manifest().digest(), pack));
    }

    /** Lets the images be where they are: they go with the tree, or are its next server's. */
    @Override
    public void close() {
        upkeep.shutdownNow();
        try {
            boolean _ = upkeep.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            improvement.shutdownNow();
            boolean _ = improvement.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            improvement.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
