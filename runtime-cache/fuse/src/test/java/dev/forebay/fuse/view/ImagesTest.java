package dev.forebay.fuse.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

import dev.forebay.manifest.ManifestFile;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ImagesTest {

    private static final byte[] IMAGE = "an image, to them".getBytes(StandardCharsets.UTF_8);
    private static final Mount MOUNT =
            new Mount(
                    DatasetVersion.of("vision", "digits", "v1"),
                    new ManifestRef("s3://b/m", new Digest("ab".repeat(32)), 1, 1, 1),
                    Mount.State.CACHED);

    @TempDir private Path directory;
    private int fetched;
    private Path left;

    @BeforeEach
    void anEarlierProcessLeavesAnImage() {
        Images images = images();
        left = images.of(MOUNT, View.ON_DEMAND);
        assertThat(images.of(MOUNT, View.NATIVE)).hasBinaryContent(IMAGE).isNotEqualTo(left);
        assertThat(images.of(MOUNT, View.ON_DEMAND)).isEqualTo(left).hasBinaryContent(IMAGE);
        assertThat(fetched).isEqualTo(1);
    }

    private Images images() {
        return new Images(directory, Long.MAX_VALUE, this::fetch);
    }

    private Digest fetch(Mount mount, Path target) {
        fetched++;
        try {
            return ManifestFile.digestOf(Files.write(target, IMAGE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anImageOfAnEarlierProcessIsUsed() {
        Images images = images();
        assertThat(images.check(MOUNT)).isTrue();
        assertThat(images.of(MOUNT, View.ON_DEMAND)).isEqualTo(left);
        assertThat(fetched).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = View.class,
            names = {"ON_DEMAND", "NATIVE"})
    void anImageWithAFlippedBitIsFetchedAgain(View view) throws Exception {
        byte[] harmed = IMAGE.clone();
        harmed[harmed.length - 1] ^= 1;
        Files.write(left, harmed);
        assertFetchedAgain(view);
    }

    @Test
    void aDistrustedImageIsVerifiedAgain() throws Exception {
        Images images = images();
        assertThat(images.relied()).isEmpty();
        assertThat(images.check(MOUNT)).isTrue();
        Digest digest = ManifestFile.digestOf(left);
        assertThat(images.relied()).containsExactly(entry(digest, left));
        byte[] harmed = IMAGE.clone();
        harmed[0] ^= 1;
        Files.write(left, harmed);
        assertThat(images.check(MOUNT)).as("relied on").isTrue();

        images.distrust(digest);

        assertThat(images.relied()).isEmpty();
        assertThat(images.check(MOUNT)).isFalse();
        assertThat(images.of(MOUNT, View.ON_DEMAND)).hasBinaryContent(IMAGE);
        assertThat(fetched).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = View.class,
            names = {"ON_DEMAND", "NATIVE"})
    void aTruncatedImageIsFetchedAgain(View view) throws Exception {
        Files.write(left, Arrays.copyOf(IMAGE, IMAGE.length / 2));
        assertFetchedAgain(view);
    }

    private void assertFetchedAgain(View view) {
        Images images = images();
        assertThat(images.check(MOUNT)).isFalse();
        assertThat(images.of(MOUNT, view)).hasBinaryContent(IMAGE);
        assertThat(images.check(MOUNT)).isTrue();
        assertThat(images.of(MOUNT, view)).hasBinaryContent(IMAGE);
        assertThat(fetched).isEqualTo(2);
    }

    /**
     * Simulates a disk that has become read-only: the image's views must be detached all the same.
     */
    @Test
    void aDamagedImageThatCannotBeRemovedFailsTheCheck() throws Exception {
        Files.write(left, new byte[] {1});
        Path second = left.resolveSibling("native").resolve(left.getFileName());
        Files.delete(second);
        Files.createDirectories(second.resolve("in the way"));

        Images images = images();

        assertThat(images.check(MOUNT)).isFalse();
        assertThat(images.relied()).isEmpty();
    }

    @Test
    void anImageThatTheKernelRefusesIsFetchedAgain() {
        Images images = images();
        assertThat(images.check(MOUNT)).isTrue();
        images.remove(MOUNT, "the kernel refuses it");
        assertThat(left).doesNotExist();
        assertThat(images.of(MOUNT, View.NATIVE)).hasBinaryContent(IMAGE);
        assertThat(fetched).isEqualTo(2);
    }

    @Test
    void keepRetainsOnlyImagesOfMountedVersions() {
        Images images = images();
        images.keep(Set.of(Images.name(MOUNT)));
        assertThat(left).exists();
        images.keep(Set.of());
        assertThat(directory).isDirectoryNotContaining(Files::isRegularFile);
        assertThat(directory.resolve("native")).isEmptyDirectory();
    }

    @Test
    void noImageIsFetchedBeyondTheCapacity() {
        Images images = new Images(directory, IMAGE.length, this::fetch);
        Mount other =
                new Mount(
                        DatasetVersion.of("vision", "digits", "v2"),
                        MOUNT.manifest(),
                        MOUNT.state());

        assertThat(images.check(MOUNT)).isTrue();
        assertThat(images.of(MOUNT, View.NATIVE)).hasBinaryContent(IMAGE);
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> images.of(other, View.ON_DEMAND))
                .withMessageContaining("--image-cache")
                .returns(ErrorCode.CAPACITY_EXCEEDED, ForebayException::code);

        images.keep(Set.of());
        assertThat(images.of(other, View.ON_DEMAND)).hasBinaryContent(IMAGE);
    }

    @Test
    void theFileNameOfAnImageIdentifiesItsVersion() {
        Images images = images();
        assertThat(images.isOurs(left)).isTrue();
        assertThat(Images.name(left)).isEqualTo(Images.name(MOUNT));
        assertThat(images.isOurs(Path.of("/elsewhere").resolve(left.getFileName()))).isFalse();
    }

    @Test
    void keepRetainsUnfinishedFetchesOfOtherProcesses() throws Exception {
        Path coming = Files.createFile(directory.resolve("unfinished1.tmp"));
        Path part = Files.createFile(directory.resolve("unfinished1.tmp.2.part"));
        Path ofOneThatWasKilled = Files.createFile(directory.resolve("unfinished3.tmp"));
        Files.setLastModifiedTime(
                ofOneThatWasKilled, FileTime.from(Instant.now().minus(Duration.ofHours(2))));

        images().keep(Set.of());

        assertThat(coming).exists();
        assertThat(part).exists();
        assertThat(ofOneThatWasKilled).doesNotExist();
        assertThat(left).doesNotExist();
    }

    @Test
    void aFailedFetchLeavesNoFiles() {
        Images images =
                new Images(
                        directory,
                        Long.MAX_VALUE,
                        (_, _) -> {
                            throw new ForebayException(ErrorCode.UNAVAILABLE, "down");
                        });

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> images.of(MOUNT, View.ON_DEMAND))
                .returns(ErrorCode.UNAVAILABLE, ForebayException::code);

        assertThat(directory.toFile().list()).containsOnly(left.getFileName().toString(), "native");
    }
}
