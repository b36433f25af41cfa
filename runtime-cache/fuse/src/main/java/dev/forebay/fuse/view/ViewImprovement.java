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
 * Shows versions better than they are shown: fetches their images, compares those that are here,
 * and puts them on the versions' folders. What cannot be done is tried again in the next round,
 * which may take minutes. For one thread.
 */
final class ViewImprovement {

    private static final Logger LOG = LoggerFactory.getLogger(ViewImprovement.class);

    private final View best;
    private final ImageStacks stacks;
    private final ImageDevices devices;
    private final Images images;
    private final MountedPacks packs;
    private final Supplier<Optional<NodePacks>> nodePacks;
    private final NativeVersions natives;

    /** Why versions could not be shown better. */
    private final Map<DatasetVersion, String> problems = new HashMap<>();

    /**
     * @param best no better view is attached
     * @param nodePacks packs on the node's disk, if they can be used now
     * @param natives says which versions may be native, and is told of those that come
     */
    ViewImprovement(
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

    /** Does for each version what can be done now, and removes images that none needs. */
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
        try {
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
        } catch (RuntimeException | SystemCallException | Error e) {
            natives.remove(mount.version());
            complain(mount.version(), e);
        }
    }

    /** Once, not at every attempt. */
    private void complain(DatasetVersion version, Throwable e) {
        String why = e instanceof ForebayException ? String.valueOf(e.getMessage()) : e.toString();
        if (!why.equals(problems.put(version, why))) {
            LOG.warn("{} cannot be shown as well as it should be: {}", version, why);
        }
    }

    private void attachOnDemand(Path root, Mount mount) throws SystemCallException {
        List<Path> served =
                packs.of(mount.manifest()).stream()
                        .map(pack -> served(root, mount, pack.id()))
                        .toList();
        IsolatedThread.run(() -> forgetPages(served));
        attach(root, mount, View.ON_DEMAND, served, "over packs that the pod serves");
    }

    private static Path served(Path root, Mount mount, PackId pack) {
        return root.resolve(PackFolder.NAME)
                .resolve(PackFolder.name(mount.manifest().digest(), pack));
    }

    /** What the kernel has of packs may have come there before some of it was found wrong. */
    private static void forgetPages(List<Path> packs) throws SystemCallException {
        for (Path pack : packs) {
            try (DiskFile file = DiskFile.openToRead(pack)) {
                file.forget(0, DiskFile.TO_THE_END);
            }
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
                // The file may be mounted on demand: nobody would compare what that shows any more.
                stacks.detach(root, mount, images::isOurs);
                images.remove(mount, DetachedMount.explain(e));
            }
            throw e;
        }
    }

    /** Does not rely on an image any more; {@link #compareAll} looks at it. */
    void distrust(Digest image) {
        images.distrust(image);
    }

    /** Compares all images that are not relied on, and takes off what those show that are wrong. */
    void compareAll(Path root) {
        stacks.below(root).keySet().forEach(mount -> compare(root, mount));
    }

    private void compare(Path root, Mount mount) {
        if (!images.check(mount)) {
            // What an image that was found wrong shows is as wrong.
            stacks.detach(root, mount, images::isOurs);
        }
    }
}
