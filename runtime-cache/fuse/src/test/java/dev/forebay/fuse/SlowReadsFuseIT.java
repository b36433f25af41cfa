package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.fs.FileBytes;
import dev.forebay.fuse.fs.InodeNumbers;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.fs.PortableView;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.KernelTransport;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers that wait for the lake do not delay other readers. */
class SlowReadsFuseIT {

    /** More than there are threads for slow reads, for requests, and for both. */
    private static final int SLOW = 300;

    private static final int BYTES = 200_000;
    private static final long TIMEOUT_SECONDS = 30;

    /** The number of reads that wait before the test reads from other files. */
    private final CountDownLatch waiting = new CountDownLatch(60);

    private final CountDownLatch there = new CountDownLatch(1);

    @TempDir private Path directory;

    @Test
    void readersGetLocalBytesWhileHundredsWaitForTheLake() throws Exception {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("here/file", TestDataset.bytes(BYTES, -1));
        for (int i = 0; i < SLOW; i++) {
            objects.put("slow/%03d".formatted(i), TestDataset.bytes(BYTES, i));
        }
        TestDataset dataset =
                TestDataset.write(directory, DatasetVersion.of("a", "b", "c"), objects);
        PortableView view = view(dataset);
        view.show(List.of(dataset.mount()));
        Path mountpoint = Files.createDirectory(directory.resolve("mnt"));
        Path root = mountpoint.resolve("a/b/c");
        try (KernelTransport _ =
                        KernelTransport.mount(
                                view, new UpcallGuard(OperationMeter.NONE), mountpoint, false);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<byte[]>> slow = new ArrayList<>();
            for (int i = 0; i < SLOW; i++) {
                Path file = root.resolve("slow/%03d".formatted(i));
                slow.add(threads.submit(() -> Files.readAllBytes(file)));
            }
            try {
                assertThat(waiting.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
                Future<byte[]> fast =
                        threads.submit(() -> Files.readAllBytes(root.resolve("here/file")));
                assertThat(fast.get(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                        .isEqualTo(objects.get("here/file"));
                assertThat(slow).noneMatch(Future::isDone);
            } finally {
                there.countDown();
            }
            for (int i = 0; i < SLOW; i++) {
                assertThat(slow.get(i).get(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                        .isEqualTo(objects.get("slow/%03d".formatted(i)));
            }
        }
    }

    private PortableView view(TestDataset dataset) {
        ManifestCache manifests =
                new ManifestCache(
                        directory.resolve("manifests"),
                        1 << 30,
                        (_, target) -> {
                            try {
                                Files.copy(dataset.file().path(), target);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        FileBytes bytes =
                new FileBytes() {
                    @Override
                    public void read(
                            Digest manifest,
                            long packBytes,
                            Node.File file,
                            long offset,
                            ByteBuffer target) {
                        if (!areHere(manifest, file, offset, target.remaining())) {
                            waiting.countDown();
                            awaitTheLake();
                        }
                        byte[] pack = Objects.requireNonNull(dataset.packs().get(file.pack()));
                        target.put(pack, (int) (file.packOffset() + offset), target.remaining());
                    }

                    @Override
                    public boolean areHere(
                            Digest manifest, Node.File file, long offset, int length) {
                        return file.key().startsWith("here/");
                    }
                };
        return new PortableView(new Manifests(manifests), bytes, 1000, InodeNumbers.unkept(), 0);
    }

    private void awaitTheLake() {
        try {
            there.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
