package dev.forebay.fuse.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.TestDataset;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageViewsTest {

    private static final long TIMEOUT_SECONDS = 30;

    @TempDir private Path directory;
    private final AtomicInteger questions = new AtomicInteger();

    /** The threads that have asked where the tree is. */
    private final BlockingQueue<String> askers = new LinkedBlockingQueue<>();

    /** Simulates that even the error message lacks memory. */
    private static final class Unsayable extends Error {
        @Override
        public String getMessage() {
            throw new OutOfMemoryError("simulated");
        }
    }

    private Path mountpoint() {
        return directory.resolve("mnt");
    }

    private Optional<Path> tree() {
        int question = questions.incrementAndGet();
        askers.add(Thread.currentThread().getName());
        return switch (question) {
            // A tick.
            case 1 -> throw new Unsayable();
            // The round that the next tick starts, because it finds that the tree is served now.
            case 3 -> throw new AssertionError("simulated");
            default -> Optional.of(mountpoint());
        };
    }

    /**
     * @param manifest the file to use as every manifest
     */
    private ImageViews views(
            Supplier<Optional<Path>> tree, ImageSource images, Optional<Path> manifest) {
        ManifestCache manifests =
                new ManifestCache(
                        directory.resolve("manifests"),
                        1 << 20,
                        (_, target) ->
                                copy(manifest.orElseThrow(ImageViewsTest::noWorker), target));
        return new ImageViews(
                tree,
                View.NATIVE,
                ImageDevices.FILES,
                new Images(directory.resolve("images"), 1, images),
                new MountedPacks(new Manifests(manifests)),
                Optional::empty);
    }

    private static ForebayException noWorker() {
        return new ForebayException(ErrorCode.UNAVAILABLE, "no worker");
    }

    private static void copy(Path from, Path target) {
        try {
            Files.copy(from, target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aFailedTaskIsRetriedAndDoesNotStopOtherTasks() throws Exception {
        ImageSource none =
                (_, _) -> {
                    throw noWorker();
                };
        try (ImageViews _ = views(this::tree, none, Optional.empty())) {
            assertThat(next(askers, 5))
                    .containsExactlyInAnyOrder("views", "views", "views", "images", "views");
        }
    }

    @Test
    void anErrorStopsNeitherOtherVersionsNorTheNextRound() throws Exception {
        // Without bytes, so that no pack must be served before the image exists.
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("empty", new byte[0]);
        TestDataset first =
                TestDataset.write(directory, DatasetVersion.parse("ns/data@first"), objects);
        Mount second =
                new Mount(
                        DatasetVersion.parse("ns/data@second"),
                        first.mount().manifest(),
                        Mount.State.CACHED);
        BlockingQueue<String> tried = new LinkedBlockingQueue<>();
        ImageSource failing =
                (mount, _) -> {
                    tried.add(mount.version().version());
                    throw new NoClassDefFoundError("simulated");
                };
        try (ImageViews views =
                views(() -> Optional.of(mountpoint()), failing, Optional.of(first.file().path()))) {
            views.retain(List.of(first.mount(), second));
            views.show();

            // The second time is caused by a tick.
            assertThat(next(tried, 4)).containsExactly("first", "second", "first", "second");
        }
    }

    private static List<String> next(BlockingQueue<String> queue, int count)
            throws InterruptedException {
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String each = queue.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            assertThat(each).as("after %s", taken).isNotNull();
            taken.add(each);
        }
        return taken;
    }
}
