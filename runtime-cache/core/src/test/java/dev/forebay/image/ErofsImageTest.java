package dev.forebay.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.lake.LakeObject;
import dev.forebay.linux.ChildProcess;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks images with an independent reader. {@code ErofsMountIT} checks them with the kernel. */
class ErofsImageTest {

    private static final long PACK_BYTES = 16 << 20;

    @TempDir Path directory;

    /** Writes an image to a full disk, and prints the error. */
    static final class Writing {
        public static void main(String[] arguments) throws IOException {
            Path target = Path.of(arguments[1]);
            Files.createSymbolicLink(
                    target.resolveSibling(target.getFileName() + ".unfinished"),
                    Path.of("/dev/full"));
            ImageName name =
                    new ImageName(
                            DatasetVersion.of("team", "set", "v"), new Digest("a".repeat(64)));
            try {
                ImageFile _ = ErofsImage.write(Path.of(arguments[0]), name, target);
            } catch (ForebayException e) {
                System.out.printf("%s %s%n", e.code(), e.getMessage());
            }
        }
    }

    @Test
    void aFullDiskFailsWithCapacityExceededInAnyLanguage() throws Exception {
        TestVersion version =
                TestVersion.write(
                        directory,
                        "v",
                        TestVersion.random(new Random(1), 10).values(),
                        PACK_BYTES,
                        null);
        Path manifest = version.manifest().path();
        String failure =
                ChildProcess.inGerman(
                        directory, Writing.class, manifest, directory.resolve("image"));
        assertThat(failure).startsWith("CAPACITY_EXCEEDED ").doesNotContain("No space left");
    }

    /** Writes an image, and prints its number of nodes. */
    static final class Counting {
        public static void main(String[] arguments) {
            ImageName name =
                    new ImageName(
                            DatasetVersion.of("team", "set", "v"), new Digest("a".repeat(64)));
            ImageFile image = ErofsImage.write(Path.of(arguments[0]), name, Path.of(arguments[1]));
            System.out.print(image.nodes());
        }
    }

    /**
     * The names of the files alone exceed the heap. Half of the files share a folder, and the
     * others have one each.
     */
    @Test
    void writeHandlesMoreFilesThanFitInMemory() throws IOException {
        int files = 300_000;
        Path manifest = directory.resolve("m");
        try (ManifestWriter writer =
                new ManifestWriter(
                        manifest, "bucket", "", ManifestWriter.DEFAULT_PACK_BYTES, null)) {
            for (int i = 0; i < files; i++) {
                String place = i < files / 2 ? "a" : "b/%06d".formatted(i);
                String key = "%s/%06d-%s".formatted(place, i, "x".repeat(60));
                writer.add(new LakeObject(key, 1, Instant.EPOCH, "etag-" + i, null));
            }
            assertThat(writer.finish().objects()).isEqualTo(files);
        }

        String nodes =
                ChildProcess.with(
                        List.of("-Xmx32m", "-XX:+UseSerialGC"),
                        Counting.class,
                        manifest,
                        directory.resolve("image"));

        int folders = 3 + files / 2;
        assertThat(nodes).isEqualTo(String.valueOf(files + folders));
    }

    @Test
    void anImageShowsExactlyTheNodesOfItsManifest() throws IOException {
        for (int round = 0; round < 5; round++) {
            long seed = System.nanoTime();
            SortedMap<String, LakeObject> objects =
                    TestVersion.random(new Random(seed), 1 + round * 1000);
            TestVersion version =
                    TestVersion.write(directory, "v" + round, objects.values(), PACK_BYTES, null);
            ImageReader image = new ImageReader(version.image().path());
            try (SqliteManifest manifest = version.open()) {
                Map<String, Node> nodes = new LinkedHashMap<>();
                walk(manifest, "/", manifest.node(Node.ROOT_ID).orElseThrow(), nodes);
                Map<String, ImageReader.Found> tree = image.tree();
                assertThat(tree.keySet()).as("seed %d", seed).isEqualTo(nodes.keySet());
                tree.forEach(
                        (path, found) ->
                                assertShows(
                                        version,
                                        manifest,
                                        Objects.requireNonNull(nodes.get(path)),
                                        found,
                                        path));
                Set<Long> numbers = new HashSet<>();
                tree.values().forEach(found -> numbers.add(found.number()));
                assertThat(numbers).as("inode numbers").hasSize(tree.size()).doesNotContain(0L);
                assertThat(image.nodes()).isEqualTo(tree.size());
                assertThat(version.image().nodes()).isEqualTo(tree.size());
            }
            assertThat(Files.size(version.image().path()))
                    .isEqualTo(version.image().bytes())
                    .isEqualTo(image.blocks() * 4096);
            assertThat(version.image().digest())
                    .isEqualTo(ManifestFile.digestOf(version.image().path()));
        }
    }

    private static void walk(
            SqliteManifest manifest, String path, Node node, Map<String, Node> nodes) {
        nodes.put(path, node);
        if (node instanceof Node.Directory) {
            for (Node child : manifest.readdir(node.id(), "", Integer.MAX_VALUE)) {
                walk(
                        manifest,
                        path + child.name() + (child instanceof Node.Directory ? "/" : ""),
                        child,
                        nodes);
            }
        }
    }

    private static void assertShows(
            TestVersion version,
            SqliteManifest manifest,
            Node node,
            ImageReader.Found found,
            String path) {
        Map<String, String> attributes = new LinkedHashMap<>();
        assertThat(found.mtime()).as(path).isEqualTo(instant(node.mtimeNanos()));
        assertThat(found.node()).as(path).isEqualTo((int) node.id());
        switch (node) {
            case Node.Directory directory -> {
                assertThat(found.mode()).as(path).isEqualTo(0040555);
                long subdirectories =
                        manifest.readdir(directory.id(), "", Integer.MAX_VALUE).stream()
                                .filter(Node.Directory.class::isInstance)
                                .count();
                assertThat(found.links()).as(path).isEqualTo((int) (2 + subdirectories));
                attributes.put("user.forebay.version", version.name().version().toString());
                attributes.put("user.forebay.manifest", version.manifest().digest().hex());
            }
            case Node.File file -> {
                assertThat(found.mode()).as(path).isEqualTo(0100444);
                assertThat(found.links()).as(path).isEqualTo(1);
                assertThat(found.size()).as(path).isEqualTo(file.size());
                List<Pack> packs = manifest.packs();
                assertThat(found.extents())
                        .as(path)
                        .isEqualTo(
                                file.size() == 0
                                        ? List.of()
                                        : List.of(
                                                new ImageReader.Extent(
                                                        device(packs, file), file.packOffset())));
                attributes.put("user.forebay.key", file.key());
                attributes.put("user.forebay.etag", file.etag());
                if (file.versionId() != null) {
                    attributes.put("user.forebay.version-id", file.versionId());
                }
            }
        }
        assertThat(found.attributes()).as(path).isEqualTo(attributes);
    }

    private static int device(List<Pack> packs, Node.File file) {
        int device = 1;
        while (!packs.get(device - 1).id().equals(file.pack())) {
            device++;
        }
        return device;
    }

    private static Instant instant(long nanos) {
        return Instant.ofEpochSecond(0, nanos);
    }

    @Test
    void imageBytesDependOnlyOnManifestAndName() throws IOException {
        SortedMap<String, LakeObject> objects = TestVersion.random(new Random(1), 3000);
        TestVersion one = TestVersion.write(directory, "v1", objects.values(), PACK_BYTES, null);
        ImageFile again =
                ErofsImage.write(one.manifest().path(), one.name(), directory.resolve("again"));
        assertThat(again.digest()).isEqualTo(one.image().digest());
        assertThat(Files.mismatch(again.path(), one.image().path())).isEqualTo(-1);

        TestVersion two = TestVersion.write(directory, "v2", objects.values(), PACK_BYTES, null);
        assertThat(two.manifest().digest()).isEqualTo(one.manifest().digest());
        assertThat(two.image().digest()).isNotEqualTo(one.image().digest());
        assertThat(two.name().fileName()).isNotEqualTo(one.name().fileName());
        assertThat(new ImageReader(two.image().path()).uuid())
                .isNotEqualTo(new ImageReader(one.image().path()).uuid());
    }

    /** A change of the bytes for the same manifest requires a new {@link ImageName#FORMAT}. */
    @Test
    void imageBytesOfFormat1DoNotChange() {
        SortedMap<String, LakeObject> objects = TestVersion.noObjects();
        for (int i = 0; i < 3000; i++) {
            TestVersion.put(objects, "%d/%d/-ü%d".formatted(i % 3, i % 500, i), i * 7L);
            TestVersion.put(objects, "%d/large directory/%d".formatted(i % 2, i), i % 2);
        }
        TestVersion version =
                TestVersion.write(directory, "v1", objects.values(), PACK_BYTES, null);
        ImageName name =
                new ImageName(DatasetVersion.of("team", "set", "v1"), new Digest("ab".repeat(32)));
        ImageFile image =
                ErofsImage.write(version.manifest().path(), name, directory.resolve("image"));
        assertThat(ImageName.FORMAT).isEqualTo(1);
        assertThat(image.digest())
                .isEqualTo(
                        new Digest(
                                "a3601e26a0c7bd7339eff7efac43b788289bb29c42890f527184fe875ae8a301"));
        assertThat(name.fileName())
                .isEqualTo(
                        "765d45ba0533e2d10b4af3c42013a377dafda22587f52e8dbb4d34511efbcc86.erofs");
    }

    @Test
    void anUnreadableManifestLeavesNoImageFile() throws IOException {
        Path manifest = Files.writeString(directory.resolve("m"), "no database, surely");
        ImageName name =
                new ImageName(DatasetVersion.of("team", "set", "v1"), new Digest("ab".repeat(32)));
        assertThatThrownBy(() -> ErofsImage.write(manifest, name, directory.resolve("image")))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
        try (var left = Files.list(directory)) {
            assertThat(left).containsExactly(manifest);
        }
    }

    @Test
    void writeRefusesInconsistentManifests() throws IOException {
        TestVersion version =
                TestVersion.write(
                        directory,
                        "v1",
                        TestVersion.random(new Random(2), 50).values(),
                        1 << 30,
                        null);
        assertCorrupt(
                version, "UPDATE node SET parent = 99999 WHERE id = (SELECT max(id) FROM node)");
        assertCorrupt(
                version, "UPDATE node SET pack_offset = pack_offset + (1 << 40) WHERE size > 0");
        assertCorrupt(version, "UPDATE node SET pack = 77 WHERE size > 0");
        assertCorrupt(version, "UPDATE node SET etag = NULL");
        assertCorrupt(version, "DELETE FROM node");
    }

    private void assertCorrupt(TestVersion version, String statement) throws IOException {
        Path damaged = directory.resolve("damaged");
        Files.copy(version.manifest().path(), damaged, StandardCopyOption.REPLACE_EXISTING);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + damaged);
                Statement update = connection.createStatement()) {
            assertThat(update.executeUpdate(statement)).isPositive();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        assertThatThrownBy(
                        () -> ErofsImage.write(damaged, version.name(), directory.resolve("none")))
                .as(statement)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
        assertThat(directory.resolve("none")).doesNotExist();
    }

    @Test
    void anImageShowsDirectoriesOfAllSizes() throws IOException {
        SortedMap<String, LakeObject> objects = TestVersion.noObjects();
        for (int names : new int[] {1, 20, 200, 330, 350, 10_000}) {
            for (int i = 0; i < names; i++) {
                TestVersion.put(objects, "%d/%d".formatted(names, i), 1);
            }
        }
        TestVersion version =
                TestVersion.write(directory, "v1", objects.values(), PACK_BYTES * 100, null);
        assertThat(new ImageReader(version.image().path()).tree().keySet())
                .containsAll(objects.keySet().stream().map(path -> "/" + path).toList())
                .hasSize(objects.size() + 7);
    }
}
