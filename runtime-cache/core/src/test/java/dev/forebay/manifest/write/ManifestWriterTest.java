package dev.forebay.manifest.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.Comparison;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.Segment;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.KeyFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestWriterTest {

    @TempDir Path directory;

    @Test
    void theSameListingGivesTheSameBytes() throws IOException {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            keys.add("p/" + (i % 50) + "/" + i);
        }
        ManifestFile one = Listings.write(directory.resolve("one"), "p/", keys);
        ManifestFile two = Listings.write(directory.resolve("two"), "p/", keys);
        assertThat(one.digest()).isEqualTo(two.digest());
        assertThat(Files.mismatch(one.path(), two.path())).isEqualTo(-1);
        assertThat(one.digest()).isEqualTo(ManifestFile.digestOf(one.path()));
    }

    @Test
    void aPackIdDependsOnEveryPartOfAnObjectsIdentity() {
        LakeObject object = new LakeObject("k", 5, Instant.EPOCH, "e", null);
        assertThat(
                        Stream.of(
                                        object,
                                        new LakeObject("l", 5, Instant.EPOCH, "e", null),
                                        new LakeObject("k", 6, Instant.EPOCH, "e", null),
                                        new LakeObject("k", 5, Instant.EPOCH, "f", null),
                                        new LakeObject("k", 5, Instant.EPOCH, "e", "v"))
                                .map(each -> packOf(List.of(each))))
                .doesNotHaveDuplicates();
        assertThat(packOf(List.of(new LakeObject("k", 5, Instant.MAX, "e", null))))
                .as("not on its time")
                .isEqualTo(packOf(List.of(object)));
    }

    @Test
    void comparisonCountsChangesSinceThePreviousVersion() {
        List<LakeObject> before =
                List.of(
                        Listings.object("a", 10),
                        Listings.object("b/c", 20),
                        Listings.object("b/empty", 0),
                        Listings.object("b/gone", 40),
                        Listings.object("d", 50));
        List<LakeObject> after =
                List.of(
                        Listings.object("a", 10),
                        Listings.object("b/c", 21),
                        Listings.object("b/empty", 0),
                        Listings.object("b/new", 100),
                        Listings.object("d", 50));
        ManifestFile first = Listings.write(directory.resolve("1"), "", before, 1 << 30, null);
        try (Manifest previous = SqliteManifest.open(first.path())) {
            assertThat(comparison(after, previous)).isEqualTo(new Comparison(3, 1, 1, 1, 121));
            assertThat(comparison(before, previous)).isEqualTo(new Comparison(5, 0, 0, 0, 0));
            assertThat(comparison(before, previous).isSame()).isTrue();
            assertThat(comparison(after.subList(0, 1), previous).isSame()).isFalse();
        }
        assertThat(comparison(before, null)).isEqualTo(new Comparison(0, 0, 5, 0, 120));
    }

    @Test
    void aDatasetThatChangesOftenHasFewPacks() {
        int keys = 200;
        int versions = Integer.getInteger("forebay.manifest.versions", 130);
        long packBytes = 16 << 20;
        List<LakeObject> objects = new ArrayList<>();
        int full = SmallPacks.KEPT + 1;
        for (int i = 0; i < full; i++) {
            objects.add(Listings.object("f%02d".formatted(i), 12 << 20));
        }
        for (int i = 0; i < keys; i++) {
            objects.add(Listings.object("k%03d".formatted(i), 100));
        }
        ManifestFile file = Listings.write(directory.resolve("0"), "", objects, packBytes, null);
        int broughtAgain = 0;
        for (int version = 1; version <= versions; version++) {
            int changed = full + version * 7 % keys;
            objects.set(changed, Listings.object(objects.get(changed).key(), 100 + version));
            Path target = directory.resolve(Integer.toString(version));
            try (Manifest previous = SqliteManifest.open(file.path())) {
                file = Listings.write(target, "", objects, packBytes, previous);
                assertThat(
                                Listings.write(
                                                directory.resolve("again"),
                                                "",
                                                objects,
                                                packBytes,
                                                previous)
                                        .digest())
                        .isEqualTo(file.digest());
                try (Manifest manifest = SqliteManifest.open(file.path())) {
                    assertThat(manifest.packs())
                            .hasSizeLessThanOrEqualTo(full + SmallPacks.MOST + 1);
                    for (LakeObject object : objects.subList(0, full)) {
                        assertThat(place(manifest, object.key()))
                                .as("of a full pack")
                                .isEqualTo(place(previous, object.key()));
                    }
                    for (LakeObject object : objects) {
                        Node.File node =
                                (Node.File)
                                        manifest.lookup(Node.ROOT_ID, object.key()).orElseThrow();
                        assertThat(node.etag()).isEqualTo(object.etag());
                        assertThat(
                                        manifest.segments(
                                                node.pack(),
                                                node.packOffset(),
                                                node.packOffset() + object.size()))
                                .extracting(Segment::key)
                                .containsExactly(object.key());
                        if (!place(manifest, object.key()).equals(place(previous, object.key()))) {
                            broughtAgain++;
                        }
                    }
                }
            }
        }
        assertThat(broughtAgain - versions)
                .as("unchanged objects that got a new place, in %d versions of 200", versions)
                .isBetween(1, versions * keys / 48);
    }

    private static String place(Manifest manifest, String key) {
        Node.File node = (Node.File) manifest.lookup(Node.ROOT_ID, key).orElseThrow();
        return node.pack() + "@" + node.packOffset();
    }

    @Test
    void repackedObjectsCountAsUnchangedButTheirBytesAsNew() {
        List<LakeObject> objects = new ArrayList<>();
        ManifestFile file = null;
        for (int i = 0; i <= SmallPacks.MOST + 1; i++) {
            objects.add(Listings.object("k%03d".formatted(i), 100));
            Path target = directory.resolve(Integer.toString(i));
            try (Manifest previous = file == null ? null : SqliteManifest.open(file.path())) {
                assertThat(comparison(objects, previous))
                        .isEqualTo(
                                new Comparison(i, 0, 1, 0, i <= SmallPacks.MOST ? 100 : 100 * 50));
                file = Listings.write(target, "", objects, 1 << 30, previous);
            }
        }
    }

    private Comparison comparison(List<LakeObject> objects, @Nullable Manifest previous) {
        try (ManifestWriter writer =
                new ManifestWriter(
                        directory.resolve("compared"), "bucket", "", 1 << 30, previous)) {
            objects.forEach(writer::add);
            writer.finish();
            return writer.comparison();
        }
    }

    private Pack packOf(List<LakeObject> objects) {
        ManifestFile file = Listings.write(directory.resolve("m"), "", objects, 1 << 30, null);
        try (Manifest manifest = SqliteManifest.open(file.path())) {
            return manifest.packs().getFirst();
        }
    }

    @Test
    void packsRespectTheirLimitAndLargeObjectsGetTheirOwn() {
        List<LakeObject> objects =
                List.of(
                        Listings.object("a", 6 << 20),
                        Listings.object("b", 2 << 20),
                        Listings.object("c", 1),
                        Listings.object("d", 100 << 20),
                        Listings.object("e", 1));
        ManifestFile file = Listings.write(directory.resolve("m"), "", objects, 8 << 20, null);
        try (Manifest manifest = SqliteManifest.open(file.path())) {
            assertThat(manifest.packs())
                    .extracting(Pack::bytes)
                    .containsExactly(8L << 20, 4096L, 100L << 20, 4096L);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "p/a//b",
                "p//a",
                "p/./a",
                "p/a/..",
                "p/a/../b",
                "p/nul\0byte",
                "p/\ud800",
                "p/..",
                "p/a//"
            })
    void keysThatAreNotValidPathsAreRefused(String key) {
        assertInvalid(List.of(Listings.object(key, 0)), "below the prefix|has a|is not valid|NUL");
    }

    @Test
    void aDirectoryMarkerWithBytesIsRefused() {
        assertInvalid(List.of(Listings.object("p/dir/", 1)), "ends in / but has bytes");
    }

    @Test
    void aKeyThatIsBothFileAndDirectoryIsRefused() {
        assertInvalid(
                List.of(
                        Listings.object("p/a", 1),
                        Listings.object("p/a-b", 1),
                        Listings.object("p/a/b", 1)),
                "'p/a/b' is below 'p/a', which is a file");
        assertInvalid(
                List.of(Listings.object("p/a", 1), Listings.object("p/a/", 0)),
                "'p/a/' is below 'p/a', which is a file");
    }

    @Test
    void theErrorNamesTheFirstTenInvalidKeys() {
        List<LakeObject> objects = new ArrayList<>();
        for (int i = 10; i < 40; i++) {
            objects.add(Listings.object("p/" + i + "//x", 1));
        }
        assertThatThrownBy(
                        () -> Listings.write(directory.resolve("m"), "p/", objects, 1 << 30, null))
                .hasMessageContaining("'p/10//x'")
                .hasMessageContaining("'p/19//x'")
                .hasMessageNotContaining("'p/20//x'")
                .hasMessageContaining("there may be more");
    }

    @Test
    void theSuggestedPatternsExcludeTheInvalidKeys() {
        List<String> keys =
                List.of("p/a//b", "p/c/../d", "p/dir/", "p/f", "p/f/1", "p/f/2", "p/good");
        try (ManifestWriter writer = writer()) {
            keys.forEach(key -> writer.add(Listings.object(key, 1)));

            assertThat(writer.excludes()).containsExactly("a/*/b", "c/??/d", "dir", "f");
            assertThatThrownBy(writer::finish).hasMessageContaining("'p/f/2' is below 'p/f'");
        }
        KeyFilter filter = KeyFilter.of(List.of(), List.of("a/*/b", "c/??/d", "dir", "f"));
        try (ManifestWriter writer = writer()) {
            keys.stream()
                    .filter(key -> filter.accepts(key.substring(2)))
                    .forEach(key -> writer.add(Listings.object(key, 1)));

            assertThat(writer.finish().objects()).isEqualTo(3);
        }
    }

    private ManifestWriter writer() {
        return new ManifestWriter(directory.resolve("m"), "b", "p/", 1 << 30, null);
    }

    @ParameterizedTest
    @ValueSource(longs = {-5, (1L << 46) + 1, 1L << 62, Long.MAX_VALUE})
    void anImpossibleObjectSizeIsRefused(long size) {
        assertInvalid(
                List.of(Listings.object("p/x", size)),
                "'p/x' has %d bytes and must have 0 to 70368744177664".formatted(size));
    }

    @Test
    void aVersionThatExceedsTheByteLimitIsRefused() {
        List<LakeObject> objects =
                IntStream.range(100, 300)
                        .mapToObj(i -> Listings.object("p/" + i, 1L << 46))
                        .toList();
        assertThatThrownBy(
                        () -> Listings.write(directory.resolve("m"), "p/", objects, 1 << 30, null))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE))
                .hasMessageContaining("more than 9007199254740992 bytes");
    }

    private void assertInvalid(List<LakeObject> objects, String message) {
        assertThatThrownBy(
                        () -> Listings.write(directory.resolve("m"), "p/", objects, 1 << 30, null))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_KEY))
                .message()
                .containsPattern(message);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aNameMayHave255BytesButNotMore() {
        String longest = "é".repeat(127) + "x";
        ManifestFile file = Listings.write(directory.resolve("m"), "p/", List.of("p/" + longest));
        try (Manifest manifest = SqliteManifest.open(file.path())) {
            assertThat(manifest.lookup(Node.ROOT_ID, longest)).isPresent();
        }
        assertThatThrownBy(
                        () ->
                                Listings.write(
                                        directory.resolve("m"),
                                        "p/",
                                        List.of("p/" + longest + "x")))
                .hasMessageContaining("more than 255 bytes");
    }

    @Test
    void markersCreateEmptyDirectoriesAndAreNotCountedAsObjects() {
        List<LakeObject> objects =
                List.of(
                        Listings.object("p/", 0),
                        Listings.object("p/empty/", 0),
                        Listings.object("p/f", 0));
        ManifestFile file = Listings.write(directory.resolve("m"), "p/", objects, 1 << 30, null);
        assertThat(file.objects()).isEqualTo(1);
        assertThat(file.chunks()).isZero();
        try (Manifest manifest = SqliteManifest.open(file.path())) {
            assertThat(manifest.packs()).isEmpty();
            Node empty = manifest.lookup(Node.ROOT_ID, "empty").orElseThrow();
            assertThat(empty).isInstanceOf(Node.Directory.class);
            assertThat(manifest.readdir(empty.id(), "", 10)).isEmpty();
            assertThat(manifest.lookup(Node.ROOT_ID, "f"))
                    .get()
                    .isInstanceOfSatisfying(
                            Node.File.class, node -> assertThat(node.size()).isZero());
        }
    }

    @Test
    void anEmptyListingIsRefused() {
        assertThatThrownBy(() -> Listings.write(directory.resolve("m"), "p/", List.of()))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_EMPTY));
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void theWriterAcceptsAListingInDirectoryOrder() {
        List<LakeObject> objects =
                List.of(
                        Listings.object("p/a/1", 1),
                        Listings.object("p/a-b", 1),
                        Listings.object("p/a/2", 1));
        ManifestFile file = Listings.write(directory.resolve("m"), "p/", objects, 1 << 30, null);
        try (Manifest manifest = SqliteManifest.open(file.path())) {
            Node a = manifest.lookup(Node.ROOT_ID, "a").orElseThrow();
            assertThat(manifest.readdir(a.id(), "", 10)).extracting(Node::name).contains("1", "2");
        }
    }

    @Test
    void theWriterDoesNotKeepObjectsOnTheHeap() {
        int objects = 200_000;
        Runtime runtime = Runtime.getRuntime();
        try (ManifestWriter writer =
                new ManifestWriter(directory.resolve("m"), "bucket", "p/", 1L << 40, null)) {
            System.gc();
            long before = runtime.totalMemory() - runtime.freeMemory();
            for (int i = 0; i < objects; i++) {
                writer.add(Listings.object("p/%04d/%08d.png".formatted(i / 1000, i), 1 + i % 9999));
            }
            System.gc();
            long after = runtime.totalMemory() - runtime.freeMemory();
            assertThat(after - before).as("heap kept by the writer").isLessThan(8L << 20);
            assertThat(writer.finish().objects()).isEqualTo(objects);
        }
    }
}
