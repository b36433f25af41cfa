package dev.forebay.fuse.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.TestDataset;
import dev.forebay.manifest.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestsAheadTest {

    private static final long PATIENCE_SECONDS = 30;

    @TempDir private Path directory;

    /** Who was asked for, in order. */
    private final BlockingQueue<Digest> asked = new LinkedBlockingQueue<>();

    private final Map<Digest, Path> there = new ConcurrentHashMap<>();

    private void fetch(ManifestRef ref, Path target) {
        asked.add(ref.digest());
        Path file = there.get(ref.digest());
        if (file == null) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "no worker");
        }
        try {
            Files.copy(file, target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private TestDataset dataset(String version) {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put(version, TestDataset.bytes(100, 1));
        return TestDataset.write(directory, DatasetVersion.of("a", "b", version), objects);
    }

    private @Nullable Digest nextAsked() throws InterruptedException {
        return asked.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void bringsWhatIsMountedOnceAndTriesAgainWhatCannotBeHad() throws Exception {
        TestDataset one = dataset("v1");
        TestDataset other = dataset("v2");
        Digest first = one.mount().manifest().digest();
        Digest second = other.mount().manifest().digest();
        there.put(first, one.file().path());
        Manifests manifests =
                new Manifests(new ManifestCache(directory.resolve("cache"), 1 << 30, this::fetch));
        try (ManifestsAhead ahead = new ManifestsAhead(manifests, Duration.ofMillis(1))) {
            ahead.update(List.of(one.mount()));
            assertThat(nextAsked()).isEqualTo(first);
            ahead.update(List.of(one.mount(), other.mount()));
            assertThat(nextAsked()).isEqualTo(second);
            assertThat(nextAsked()).as("it was not to be had").isEqualTo(second);
            there.put(second, other.file().path());
            Path file = directory.resolve("cache").resolve(second.hex() + ".sqlite");
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (!Files.exists(file)) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                Thread.onSpinWait();
            }
            asked.clear();
            Mount evicting =
                    new Mount(
                            DatasetVersion.of("a", "b", "v3"),
                            dataset("v3").mount().manifest(),
                            Mount.State.EVICTING);
            TestDataset last = dataset("v4");
            ahead.update(List.of(one.mount(), other.mount(), evicting, last.mount()));
            assertThat(nextAsked())
                    .as("neither what is here nor what is about to go")
                    .isEqualTo(last.mount().manifest().digest());
        }
    }

    @Test
    void whatIsNewDoesNotWaitForWhatCouldNotBeHad() throws Exception {
        TestDataset one = dataset("v1");
        TestDataset other = dataset("v2");
        Manifests manifests =
                new Manifests(new ManifestCache(directory.resolve("cache"), 1 << 30, this::fetch));
        try (ManifestsAhead ahead = new ManifestsAhead(manifests, Duration.ofHours(1))) {
            ahead.update(List.of(one.mount()));
            assertThat(nextAsked()).isEqualTo(one.mount().manifest().digest());

            ahead.update(List.of(one.mount(), other.mount()));

            assertThat(nextAsked()).isEqualTo(other.mount().manifest().digest());
        }
    }
}
