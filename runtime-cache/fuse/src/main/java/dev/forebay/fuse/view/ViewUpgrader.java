package dev.forebay.fuse.view;

import dev.forebay.fuse.linux.DetachedMount;
import dev.forebay.fuse.linux.IsolatedThread;
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
import dev.forebay.thread.CatchAll;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Upgrades the views of versions: fetches images, verifies local ones, and attaches them to the
 * versions' folders. Failures are retried in the next round. A round may take minutes. Not
 * thread-safe.
 */
final class ViewUpgrader {

    private static final Logger LOG = LoggerFactory.getLogger(ViewUpgrader.class);

    private final View best;
    private final ImageStacks stacks;
    private final ImageDevices devices;
    private final Images images;
    private final MountedPacks packs;
    private final Supplier<Optional<NodePacks>> nodePacks;
    private final NativeVersions natives;

    /** The last logged failure of each version. */
    private final Map<DatasetVersion, String> problems = new HashMap<>();

    /**
     * @param best the best view to attach
     * @param nodePacks returns the packs on the node's disk if this process can use them now
     * @param natives decides which versions may be native, and tracks those that are
     */
    ViewUpgrader(
            View best,
            ImageStacks stacks,
            ImageDevices devices,
            Images images,
            MountedPacks packs,
            Supplier<Optional<NodePacks>> nodePacks,
            NativeVersions natives) {
        this.best = best;
        this.stacks = stacks;
        this.devices = devices;
        this.images = images;
        this.packs = packs;
        this.nodePacks = nodePacks;
        this.natives = natives;
    }

    /**
     * Upgrades the view of each version as far as possible now, and removes images without a
     * version.
     */
    void improve(Path root) {
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
        boolean _ =
                CatchAll.run(
                        () -> upgrade(root, mount, view),
                        e -> {
                            natives.remove(mount.version());
                            complain(mount.version(), e);
                        });
    }

    private void upgrade(Path root, Mount mount, View view) throws SystemCallException {
        if (view == View.PORTABLE) {
            attachOnDemand(root, mount);
        }
        if (best == View.NATIVE && natives.mayBeNative(mount.version())) {
            Optional<HeldPacks> whole =
                    nodePacks.get().flatMap(cache -> cache.hold(mount.manifest().digest()));
            if (whole.isPresent()) {
                attachNative(root, mount, whole.get());
            }
        }
        problems.remove(mount.version());
    }

    /** Logs a failure once, not at every attempt. */
    private void complain(DatasetVersion version, Throwable e) {
        String why = e instanceof ForebayException ? String.valueOf(e.getMessage()) : e.toString();
        if (!why.equals(problems.put(version, why))) {
            LOG.warn("Cannot upgrade the view of {}; retrying: {}", version, why);
        }
    }

    private void attachOnDemand(Path root, Mount mount) throws SystemCallException {
        List<Path> served =
                packs.of(mount.manifest()).stream()
                        .map(pack -> served(root, mount, pack.id()))
                        .toList();
        IsolatedThread.run(() -> forgetPages(served));
        attach(root, mount, View.ON_DEMAND, served, "from packs that the pod serves");
    }

    private static Path served(Path root, Mount mount, PackId pack) {
        return root.resolve(PackFolder.NAME)
                .resolve(PackFolder.name(mount.manifest().digest(), pack));
    }

    /** Drops cached pages of packs: they may be from before damage was found. */
    private static void forgetPages(List<Path> packs) throws SystemCallException {
        for (Path pack : packs) {
            try (DiskFile file = DiskFile.openToRead(pack)) {
                file.forget(0, DiskFile.TO_THE_END);
            }
        }
    }

    /**
     * Attaches a native view. Once mounted, the kernel has the files of the packs open, which
     * protects them from eviction.
     */
    private void attachNative(Path root, Mount mount, HeldPacks whole) throws SystemCallException {
        try (whole) {
            Map<PackId, Path> files = whole.files();
            List<Path> local =
                    packs.of(mount.manifest()).stream()
                            .map(Pack::id)
                            .map(id -> Objects.requireNonNull(files.get(id)))
                            .toList();
            // Before it becomes visible: a native view that is unknown here counts as a
            // predecessor's.
            boolean _ = natives.isNative(mount.version(), true);
            attach(root, mount, View.NATIVE, local, "from this node's disk");
        }
    }

    private void attach(Path root, Mount mount, View view, List<Path> devicePaths, String how)
            throws SystemCallException {
        compare(root, mount);
        Path image = images.of(mount, view);
        try (DetachedMount mounted = devices.mount(image, devicePaths)) {
            if (stacks.attach(root, mount, mounted)) {
                LOG.info("{} is shown by its image, {}", mount.version(), how);
            }
        } catch (SystemCallException e) {
            if (DetachedMount.isDamage(e)) {
                // The file may be mounted on demand, and no later check would cover that view.
                stacks.detach(root, mount, images::isOurs);
                images.remove(mount, DetachedMount.explain(e));
            }
            throw e;
        }
    }

    /** Marks an image as unverified; {@link #compareAll} verifies it again. */
    void distrust(Digest image) {
        images.distrust(image);
    }

    /** Verifies all unverified images, and detaches the views of damaged ones. */
    void compareAll(Path root) {
        stacks.below(root).keySet().forEach(mount -> compare(root, mount));
    }

    private void compare(Path root, Mount mount) {
        if (!images.check(mount)) {
            // A damaged image shows damaged files.
            stacks.detach(root, mount, images::isOurs);
        }
    }
}
