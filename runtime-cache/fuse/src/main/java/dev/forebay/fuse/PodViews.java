package dev.forebay.fuse;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.InodeNumbers;
import dev.forebay.fuse.fs.PortableView;
import dev.forebay.fuse.options.PodOptions;
import dev.forebay.fuse.options.ViewChoice;
import dev.forebay.fuse.view.ImageViews;
import dev.forebay.fuse.view.Images;
import dev.forebay.fuse.view.LocalPacks;
import dev.forebay.fuse.view.MountedPacks;
import dev.forebay.fuse.view.PackFolder;
import dev.forebay.manifest.cache.ManifestPrefetch;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The views of a pod: the tree, file by file, and the images of versions on top of it. */
final class PodViews {

    private final PortableView portable;
    private final Optional<ManifestPrefetch> ahead;
    private final MountedPacks mountedPacks;
    private final FileSystemView tree;
    private final ImageViews images;

    /**
     * Creates the views. The images are not added to the parts: they must be closed before the tree
     * is unmounted.
     *
     * @param place returns where the tree is mounted that this process serves; empty while it
     *     serves none
     * @param parts receives the objects to close
     */
    PodViews(
            PodOptions options,
            ViewChoice.Found found,
            PodReads reads,
            Supplier<Optional<Path>> place,
            StartedParts parts) {
        portable =
                new PortableView(
                        reads.manifests(),
                        reads.packs(),
                        options.attributeCache,
                        InodeNumbers.keptIn(options.mountDirectory().resolve("inodes")),
                        nanos(Instant.now()));
        ahead =
                options.holder == null
                        ? Optional.empty()
                        : Optional.of(
                                new ManifestPrefetch(ref -> reads.manifests().open(ref).close()));
        ahead.ifPresent(parts::add);
        mountedPacks = new MountedPacks(reads.manifests());
        tree = new PackFolder(portable, mountedPacks, reads.packs());
        images =
                new ImageViews(
                        place,
                        found.best(),
                        found.devices(),
                        new Images(
                                options.cacheDirectory().resolve("images"),
                                options.imageCache.bytes(),
                                (mount, file) ->
                                        reads.files()
                                                .image(
                                                        mount.version(),
                                                        mount.manifest().digest(),
                                                        file)),
                        mountedPacks,
                        reads.nodePacks().<LocalPacks>map(packs -> packs).orElse(Optional::empty));
    }

    private static long nanos(Instant time) {
        return TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
    }

    /** Returns the file system to mount. */
    FileSystemView tree() {
        return tree;
    }

    ImageViews images() {
        return images;
    }

    /** Replaces the versions that are shown. One thread at a time may call it. */
    void show(RegionView view) {
        List<Mount> mounts = view.mounts();
        mountedPacks.update(mounts);
        images.retain(mounts);
        portable.show(mounts);
        images.show();
        ahead.ifPresent(manifests -> manifests.update(view.manifests()));
    }
}
