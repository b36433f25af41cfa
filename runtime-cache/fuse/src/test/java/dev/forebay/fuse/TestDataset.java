package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.Segment;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A version made from arrays, with a real manifest and its packs laid out in memory. */
public record TestDataset(
        Mount mount,
        ManifestFile file,
        SortedMap<String, byte[]> objects,
        Map<PackId, byte[]> packs) {

    public static final Instant MODIFIED = Instant.ofEpochSecond(1_700_000_000, 123_456_789);

    private static final Comparator<String> UTF8_ORDER =
            Comparator.comparing(
                    text -> text.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    /** Returns an empty set of objects in the order in which a lake lists them. */
    public static SortedMap<String, byte[]> noObjects() {
        return new TreeMap<>(UTF8_ORDER);
    }

    public static byte[] bytes(int size, long seed) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    public static TestDataset write(
            Path directory, DatasetVersion version, SortedMap<String, byte[]> objects) {
        return write(directory, version, objects, null);
    }

    /**
     * Writes a version.
     *
     * @param previous the earlier version, with which it shares equal objects
     */
    public static TestDataset write(
            Path directory,
            DatasetVersion version,
            SortedMap<String, byte[]> objects,
            @Nullable TestDataset previous) {
        Path path = directory.resolve(version.path().replace('/', '-') + ".sqlite");
        ManifestFile file;
        try (SqliteManifest before =
                        previous == null ? null : SqliteManifest.open(previous.file.path());
                ManifestWriter writer =
                        new ManifestWriter(
                                path, "bucket", "", ManifestWriter.DEFAULT_PACK_BYTES, before)) {
            objects.forEach(
                    (key, bytes) ->
                            writer.add(
                                    new LakeObject(
                                            key, bytes.length, MODIFIED, etag(key), "v-" + key)));
            file = writer.finish();
        }
        ManifestRef ref = file.ref("manifests");
        return new TestDataset(
                new Mount(version, ref, Mount.State.CACHED), file, objects, packs(path, objects));
    }

    /** Asserts that the files below a directory have these bytes. */
    public static void assertShows(Path root, Map<String, byte[]> objects) {
        objects.forEach((key, bytes) -> assertHas(root.resolve(key), bytes));
    }

    /** Asserts that a file has these bytes. AssertJ would take seconds for so many, one by one. */
    public static void assertHas(Path file, byte[] bytes) {
        try {
            assertThat(Arrays.mismatch(Files.readAllBytes(file), bytes))
                    .as("the first wrong byte of %s", file)
                    .isEqualTo(-1);
        } catch (IOException e) {
            throw new AssertionError("cannot read " + file, e);
        }
    }

    public static String etag(String key) {
        return "etag-" + key.hashCode();
    }

    private static Map<PackId, byte[]> packs(Path path, Map<String, byte[]> objects) {
        Map<PackId, byte[]> packs = new HashMap<>();
        try (Manifest manifest = SqliteManifest.open(path)) {
            for (Pack pack : manifest.packs()) {
                byte[] laid = new byte[Math.toIntExact(pack.bytes())];
                for (Segment segment : manifest.segments(pack.id(), 0, pack.bytes())) {
                    byte[] bytes = objects.getOrDefault(segment.key(), new byte[0]);
                    System.arraycopy(
                            bytes, 0, laid, (int) segment.packOffset(), (int) segment.size());
                }
                packs.put(pack.id(), laid);
            }
        }
        return packs;
    }
}
