package dev.forebay.fuse.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.fs.Manifests;
import dev.forebay.manifest.ManifestCache;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageViewsTest {

    private static final long PATIENCE_SECONDS = 30;

    @TempDir private Path directory;
    private final AtomicInteger questions = new AtomicInteger();

    /** The threads that have asked where the tree is. */
    private final BlockingQueue<String> askers = new LinkedBlockingQueue<>();

    /** As when there is no memory to say what has failed, either. */
    private static final class Unsayable extends Error {
        @Override
        public String getMessage() {
            throw new OutOfMemoryError("simulated");
        }
    }

    private Optional<Path> tree() {
        int question = questions.incrementAndGet();
        askers.add(Thread.currentThread().getName());
        return switch (question) {
            // A tick.
            case 1 -> throw new Unsayable();
            // What the next one does, as it finds that the tree is served now.
            case 3 -> throw new AssertionError("simulated");
            default -> Optional.of(directory.resolve("mnt"));
        };
    }

    private ImageViews views() {
        ManifestCache manifests =
                new ManifestCache(
                        directory.resolve("manifests"),
                        1,
                        (_, _) -> {
                            throw noWorker();
                        });
        Images images =
                new Images(
                        directory.resolve("images"),
                        1,
                        (_, _) -> {
                            throw noWorker();
                        });
        return new ImageViews(
                this::tree,
                View.NATIVE,
                ImageDevices.FILES,
                images,
                new MountedPacks(new Manifests(manifests)),
                Optional::empty);
    }

    private static ForebayException noWorker() {
        return new ForebayException(ErrorCode.UNAVAILABLE, "no worker");
    }

    @Test
    void whatFailsIsTriedAgainAndKeepsNothingElseFromBeingDone() throws Exception {
        try (ImageViews _ = views()) {
            List<String> asked = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                String asker = askers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                assertThat(asker).as("after %s", asked).isNotNull();
                asked.add(asker);
            }
            assertThat(asked)
                    .containsExactlyInAnyOrder("views", "views", "views", "images", "views");
        }
    }
}
