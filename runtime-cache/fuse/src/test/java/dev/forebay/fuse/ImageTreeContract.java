package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.linux.LoopDevice;
import dev.forebay.fuse.linux.MountStacks;
import dev.forebay.fuse.linux.MountTable;
import dev.forebay.fuse.nodecache.NodePacks;
import dev.forebay.fuse.view.ImageDevices;
import dev.forebay.fuse.view.ImageViews;
import dev.forebay.fuse.view.Images;
import dev.forebay.fuse.view.MountedPacks;
import dev.forebay.fuse.view.PackFolder;
import dev.forebay.fuse.view.View;
import dev.forebay.image.ErofsImage;
import dev.forebay.image.ImageName;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.membership.Mount;
import dev.forebay.model.Digest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The contract of the tree must also hold where versions are shown by their images. */
@SuppressWarnings("NullAway.Init") // the tree is mounted before all
abstract class ImageTreeContract extends MountedTreeContract {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private MountedPacks mountedPacks;
    private ImageViews views;

    /** Mounts without access for other users. */
    abstract Transport mountTree(FileSystemView view, UpcallGuard guard, Path mountpoint);

    @Override
    Transport mount(FileSystemView view, UpcallGuard guard, Path mountpoint) {
        mountedPacks = new MountedPacks(manifests);
        views =
                new ImageViews(
                        () -> Optional.of(mountpoint),
                        nodePacks().isPresent() ? View.NATIVE : View.ON_DEMAND,
                        devices(),
                        new Images(directory.resolve("images"), Long.MAX_VALUE, this::write),
                        mountedPacks,
                        this::nodePacks);
        return mountTree(new PackFolder(view, mountedPacks, packs), guard, mountpoint);
    }

    ImageDevices devices() {
        return ImageDevices.FILES;
    }

    Optional<NodePacks> nodePacks() {
        return Optional.empty();
    }

    ImageViews views() {
        return views;
    }

    long count(View view) {
        return views.counts().getOrDefault(view, 0L);
    }

    private Digest write(Mount mount, Path target) {
        try (CachedManifest manifest = manifests.open(mount.manifest())) {
            ImageName name = new ImageName(mount.version(), mount.manifest().digest());
            return ErofsImage.write(manifest.file(), name, target).digest();
        }
    }

    /** EROFS over plain files has no direct reads. */
    @Override
    boolean readsDirectly() {
        return devices() == ImageDevices.LOOPS;
    }

    @AfterAll
    @Override
    void unmount() {
        views.close();
        super.unmount();
        awaitNoLoops();
    }

    /**
     * Waits until the kernel has removed the last loop device, which it does after it has ended the
     * images.
     */
    private void awaitNoLoops() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (System.nanoTime() < deadline && !loops().isEmpty()) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        List<Path> left = loops();
        assertThat(left).matches(it -> it.isEmpty() || isCopied(), "empty");
    }

    /**
     * Returns whether a program in another mount namespace has a copy of our mounts, and so keeps
     * the images. Tests that run beside this one start such programs.
     */
    private boolean isCopied() {
        try (DirectoryStream<Path> processes =
                Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            Path ours = Files.readSymbolicLink(Path.of("/proc/self/ns/mnt"));
            for (Path process : processes) {
                if (isCopied(process, ours)) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isCopied(Path process, Path ours) {
        try {
            return !Files.readSymbolicLink(process.resolve("ns/mnt")).equals(ours)
                    && Files.readString(process.resolve("mountinfo"))
                            .contains(directory.toString());
        } catch (IOException e) {
            return false; // The process has ended.
        }
    }

    /** Returns the loop devices over our files. */
    private List<Path> loops() {
        List<Path> ours = new ArrayList<>();
        try (DirectoryStream<Path> devices =
                Files.newDirectoryStream(Path.of("/dev"), "loop[0-9]*")) {
            for (Path device : devices) {
                LoopDevice.fileOf(device.toString())
                        .filter(file -> file.startsWith(directory))
                        .ifPresent(ours::add);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ours;
    }

    @Override
    void show(List<Mount> mounts) {
        mountedPacks.update(mounts);
        views.retain(mounts);
        super.show(mounts);
        views.show();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (byImages() < mounts.size() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(byImages()).isEqualTo(mounts.size());
    }

    private long byImages() {
        return count(View.ON_DEMAND) + count(View.NATIVE);
    }

    /** Returns the lines of what a path leads to, the topmost last. */
    static List<String> mountsAt(Path folder) throws IOException {
        return mountsAt(folder, Path.of("/proc/self/mountinfo"));
    }

    /**
     * Returns the lines of what a path leads to in a mount namespace, the topmost last.
     *
     * @param table the mountinfo of a process
     */
    static List<String> mountsAt(Path folder, Path table) throws IOException {
        byte[] content = Files.readAllBytes(table);
        Map<String, String> lines =
                new String(content, StandardCharsets.UTF_8)
                        .lines()
                        .collect(Collectors.toMap(line -> line.split(" ", 2)[0], line -> line));
        return new MountStacks(MountTable.parse(content))
                .at(folder).stream().map(mount -> lines.get(Integer.toString(mount.id()))).toList();
    }

    /** Returns how many images are mounted in one place, including those that no path leads to. */
    static long imagesAt(Path folder) throws IOException {
        return MountTable.read().stream()
                .filter(mount -> mount.type().equals("erofs"))
                .filter(mount -> mount.mountpoint().equals(folder))
                .count();
    }

    @Test
    void theVersionIsAnErofsMountInsideTheFuseMount() throws IOException {
        Path version = mountpoint.resolve("tree/all/v1");
        assertThat(Files.getFileStore(version).type()).isEqualTo("erofs");
        assertThat(Files.getFileStore(mountpoint).type()).isEqualTo("fuse.forebay");
    }
}
