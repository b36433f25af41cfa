package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.KernelTransport;
import dev.forebay.fuse.linux.LoopDevice;
import dev.forebay.fuse.nodecache.NodePacks;
import dev.forebay.fuse.nodecache.NodePacksConfig;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.fuse.view.View;
import dev.forebay.membership.Mount;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The contract of the tree must also hold where its packs are on the node's disk. */
@SuppressWarnings("NullAway.Init") // the tree is mounted before all
abstract class NativeTreeContract extends ImageTreeContract {

    private NodePacks nodePacks;

    @Override
    Transport mount(FileSystemView view, UpcallGuard guard, Path mountpoint) {
        nodePacks =
                NodePacks.open(
                        new NodePacksConfig(
                                directory.resolve("packs"),
                                1 << 30,
                                1L << 40,
                                Duration.ofMillis(50),
                                Duration.ofDays(1),
                                0,
                                Duration.ofHours(1),
                                true),
                        manifests,
                        new LocalChunks(new NeighbourStore(List.of()), source),
                        _ -> {});
        return super.mount(view, guard, mountpoint);
    }

    @Override
    Transport mountTree(FileSystemView view, UpcallGuard guard, Path mountpoint) {
        return KernelTransport.mount(view, guard, mountpoint, false);
    }

    @Override
    Optional<NodePacks> nodePacks() {
        return Optional.of(nodePacks);
    }

    @AfterAll
    @Override
    void unmount() {
        super.unmount();
        nodePacks.close();
    }

    /** Shows versions, and waits until the first is native after a simulated use. */
    @Override
    void show(List<Mount> mounts) {
        nodePacks.update(mounts);
        super.show(mounts);
        nodePacks.use(mounts.getFirst().manifest().digest());
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (count(View.NATIVE) == 0 && System.nanoTime() < deadline) {
            views().show();
            LockSupport.parkNanos(10_000_000);
        }
        assertThat(count(View.NATIVE)).isEqualTo(1);
    }

    @Test
    void theNativeImageLiesOverTheOnDemandImage() throws Exception {
        List<Path> images =
                mountsAt(mountpoint.resolve("tree/all/v1")).stream()
                        .map(line -> line.replaceAll(".* - erofs (\\S+) .*", "$1"))
                        .map(source -> LoopDevice.fileOf(source).orElse(Path.of(source)))
                        .toList();
        assertThat(images).hasSize(2);
        assertThat(images.getFirst().getParent()).endsWithRaw(Path.of("images"));
        assertThat(images.getLast().getParent()).endsWithRaw(Path.of("images/native"));
    }
}
