package dev.forebay.fuse.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.fuse.TestDataset;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountedPacksTest {

    private static final int VERSIONS = 8;

    @TempDir private Path directory;
    private final List<TestDataset> datasets = new ArrayList<>();

    @BeforeEach
    void write() {
        for (int i = 0; i < VERSIONS; i++) {
            SortedMap<String, byte[]> objects = TestDataset.noObjects();
            objects.put("object-" + i, TestDataset.bytes(10_000, i));
            DatasetVersion version = DatasetVersion.of("test", "data", "v" + i);
            datasets.add(TestDataset.write(directory, version, objects));
        }
    }

    /** Mounts all versions, but only one manifest is available. */
    private MountedPacks mounted(TestDataset readable) {
        Path own = directory.resolve("manifests-of-" + datasets.indexOf(readable));
        MountedPacks packs =
                new MountedPacks(
                        new Manifests(
                                new ManifestCache(
                                        own,
                                        1 << 30,
                                        (ref, target) -> fetch(readable, ref, target))));
        packs.update(datasets.stream().map(TestDataset::mount).toList());
        return packs;
    }

    private static void fetch(TestDataset readable, ManifestRef ref, Path target) {
        if (!ref.equals(readable.mount().manifest())) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "no worker has it");
        }
        try {
            Files.copy(readable.file().path(), target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long inode(TestDataset dataset) {
        PackId pack = dataset.packs().keySet().iterator().next();
        return PackFolder.inode(dataset.mount().manifest().digest(), pack);
    }

    @Test
    void aPackIsFoundEvenIfOtherManifestsAreUnreadable() {
        for (TestDataset readable : datasets) {
            assertThat(mounted(readable).numbered(inode(readable)))
                    .hasValueSatisfying(
                            found ->
                                    assertThat(found.manifest())
                                            .isEqualTo(readable.mount().manifest().digest()));
        }
    }

    @Test
    void aSearchFailsIfThePackMayBeInAnUnreadableManifest() {
        MountedPacks packs = mounted(datasets.getLast());
        assertThatThrownBy(() -> packs.numbered(inode(datasets.getFirst())))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining("no worker has it");
    }

    @Test
    void aPackIsKnownOnceItsManifestIsRead() {
        TestDataset readable = datasets.getFirst();
        MountedPacks packs = mounted(readable);
        assertThat(packs.isKnown(inode(readable))).isFalse();
        assertThat(packs.isKnown(readable.mount().manifest())).isFalse();
        assertThat(packs.numbered(inode(readable))).isPresent();
        assertThat(packs.isKnown(inode(readable))).isTrue();
        assertThat(packs.isKnown(readable.mount().manifest())).isTrue();
        assertThat(packs.isKnown(inode(datasets.getLast()))).isFalse();
    }

    @Test
    void aPackOfNoMountedVersionIsNotFound() {
        MountedPacks packs = mounted(datasets.getLast());
        packs.update(List.of(datasets.getLast().mount()));
        assertThat(packs.numbered(inode(datasets.getFirst()))).isEmpty();
    }
}
