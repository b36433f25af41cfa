package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Guard;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.view.ImageViews;
import dev.forebay.fuse.view.MountedPacks;
import dev.forebay.fuse.view.PackFolder;
import dev.forebay.image.ErofsImage;
import dev.forebay.image.ImageFile;
import dev.forebay.image.ImageName;
import dev.forebay.manifest.CachedManifest;
import dev.forebay.membership.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What the tree promises holds as well where versions are shown by their images. */
@SuppressWarnings("NullAway.Init") // the tree is mounted before all
abstract class ImageTreeContract extends MountedTreeContract {

    private MountedPacks mountedPacks;
    private ImageViews views;

    /** Mounts without other users. */
    abstract Transport mountTree(FileSystemView view, Guard guard, Path mountpoint);

    @Override
    Transport mount(FileSystemView view, Guard guard, Path mountpoint) {
        mountedPacks = new MountedPacks(manifests);
        views =
                new ImageViews(
                        mountpoint,
                        directory.resolve("images"),
                        this::write,
                        mountedPacks,
                        () -> true);
        return mountTree(new PackFolder(view, mountedPacks, packs::read), guard, mountpoint);
    }

    private void write(Mount mount, Path target) {
        try (CachedManifest manifest = manifests.open(mount.manifest())) {
            ImageFile _ =
                    ErofsImage.write(
                            manifest.file(),
                            new ImageName(mount.version(), mount.manifest().digest()),
                            target);
        }
    }

    /** EROFS does not over packs in plain files. */
    @Override
    boolean readsDirectly() {
        return false;
    }

    @AfterAll
    @Override
    void unmount() {
        views.close();
        super.unmount();
    }

    @Override
    void show(List<Mount> mounts) {
        mountedPacks.update(mounts);
        views.retain(mounts);
        super.show(mounts);
        views.show();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (views.count() < mounts.size() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(views.count()).isEqualTo(mounts.size());
    }

    @Test
    void theKernelItselfShowsTheVersion() throws IOException {
        Path version = mountpoint.resolve("tree/all/v1");
        assertThat(Files.getFileStore(version).type()).isEqualTo("erofs");
        assertThat(Files.getFileStore(mountpoint).type()).isEqualTo("fuse.forebay");
    }
}
