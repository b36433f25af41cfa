package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.fuse.TestDataset;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VersionPagesTest {

    @TempDir private Path directory;

    @Test
    void rememberedReturnsTwiceTheChunksOfTheCacheWithinLimits() {
        long gib = 1L << 30;
        assertThat(VersionPages.remembered(16 * gib)).as("at least").isEqualTo(16_384);
        assertThat(VersionPages.remembered(512 * gib)).isEqualTo(2 * 512 * 128);
        assertThat(VersionPages.remembered(8192 * gib)).as("at most").isEqualTo(262_144);
        assertThat(VersionPages.remembered(Long.MAX_VALUE)).isEqualTo(262_144);
    }

    @Test
    void theManifestIsReadOnceWhileItsVersionIsMounted() throws Exception {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("f", TestDataset.bytes(100_000, 1));
        TestDataset dataset =
                TestDataset.write(directory, DatasetVersion.parse("ns/data@v1"), objects);
        Path worker = dataset.file().path();
        ManifestCache files =
                new ManifestCache(
                        directory.resolve("manifests"),
                        1L << 30,
                        (_, target) -> copy(worker, target));
        VersionPages pages = new VersionPages(new Manifests(files), 1L << 30);
        List<Mount> mounts = List.of(dataset.mount());
        Digest manifest = dataset.file().digest();
        Set<PackId> packs = dataset.packs().keySet();
        boolean _ = pages.update(mounts);
        assertThat(pages.packs(manifest)).isEqualTo(packs);

        Path here = Objects.requireNonNull(files.copies().get(manifest));
        files.distrust(manifest);
        Files.delete(here);
        Files.delete(worker);
        boolean _ = pages.update(mounts);
        assertThat(pages.packs(manifest)).isEqualTo(packs);
        assertThat(pages.packsAtHand(manifest)).contains(packs);

        boolean _ = pages.update(List.of());
        assertThat(pages.packsAtHand(manifest)).isEmpty();
        boolean _ = pages.update(mounts);
        assertThatThrownBy(() -> pages.packs(manifest))
                .isInstanceOf(ForebayException.class)
                .hasMessage("no worker");
    }

    private static void copy(Path from, Path target) {
        try {
            Files.copy(from, target);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "no worker", e);
        }
    }
}
