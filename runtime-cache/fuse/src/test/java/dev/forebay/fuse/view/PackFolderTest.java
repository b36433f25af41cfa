package dev.forebay.fuse.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.fuse.TestDataset;
import dev.forebay.fuse.fs.InodeNumbers;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.fs.OpenFile;
import dev.forebay.fuse.fs.PackBytes;
import dev.forebay.fuse.fs.PortableView;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init") // made before each
class PackFolderTest {

    /** The bytes of packs that no worker has. */
    private static final PackBytes NOTHING =
            new PackBytes() {
                @Override
                public void read(Digest manifest, Pack pack, long offset, ByteBuffer target) {
                    throw new ForebayException(ErrorCode.UNAVAILABLE, "no worker has it");
                }

                @Override
                public boolean areHere(Digest manifest, Pack pack, long from, long to) {
                    return false;
                }
            };

    @TempDir private Path directory;
    private MountedPacks packs;
    private PackFolder folder;
    private String pack;
    private long inode;

    @BeforeEach
    void mount() {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("object", TestDataset.bytes(10_000, 1));
        TestDataset dataset =
                TestDataset.write(directory, DatasetVersion.parse("vision/digits@v1"), objects);
        Manifests manifests =
                new Manifests(
                        new ManifestCache(
                                directory.resolve("manifests"),
                                1 << 30,
                                (_, target) -> copy(dataset.file().path(), target)));
        packs = new MountedPacks(manifests);
        packs.update(List.of(dataset.mount()));
        folder =
                new PackFolder(
                        new PortableView(
                                manifests,
                                (_, _, _, _, _) -> {
                                    throw new AssertionError("a file");
                                },
                                1000,
                                InodeNumbers.unkept(),
                                0),
                        packs,
                        NOTHING);
        PackId id = dataset.packs().keySet().iterator().next();
        pack = id.toString();
        inode = PackFolder.inode(dataset.mount().manifest().digest(), id);
    }

    private static void copy(Path from, Path to) {
        try {
            Files.copy(from, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void describeNamesTheVersionOfAPackOnceItIsKnown() {
        assertThat(folder.describe(inode)).startsWith("a pack, inode ");
        assertThat(folder.getattr(inode).size()).isPositive();
        assertThat(folder.describe(inode)).isEqualTo("vision/digits@v1, pack " + pack);
    }

    /** The inode alone would then identify nothing. */
    @Test
    void aFailedReadNamesVersionAndPackEvenAfterAnUnmount() {
        OpenFile file = folder.open(inode);
        packs.update(List.of());
        assertThat(folder.describe(inode)).startsWith("a pack, inode ");
        assertThatThrownBy(() -> file.read(4096, ByteBuffer.allocate(10)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessage(
                        "vision/digits@v1, pack %s at byte 4096: no worker has it".formatted(pack));
    }
}
