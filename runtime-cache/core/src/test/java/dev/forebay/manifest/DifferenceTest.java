package dev.forebay.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.manifest.write.Listings;
import dev.forebay.manifest.write.ManifestWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares walks of one version, and of two versions side by side, with plain maps. */
class DifferenceTest {

    private static final String PREFIX = "p/";
    private static final int ALL = Integer.MAX_VALUE;

    @TempDir Path directory;

    private SqliteManifest manifest(String name, Collection<LakeObject> objects) {
        List<LakeObject> listed = new ArrayList<>(objects);
        listed.sort((one, other) -> Listings.UTF8_ORDER.compare(one.key(), other.key()));
        ManifestFile file =
                Listings.write(
                        directory.resolve(name),
                        PREFIX,
                        listed,
                        ManifestWriter.DEFAULT_PACK_BYTES,
                        null);
        return SqliteManifest.open(file.path());
    }

    private static LakeObject object(String path, String etag) {
        return new LakeObject(PREFIX + path, 5, Instant.EPOCH, etag, null);
    }

    private static List<String> walk(Manifest manifest, String after) {
        List<String> paths = new ArrayList<>();
        FileWalk.after(manifest, new FilePath(after))
                .forEachRemaining(found -> paths.add(found.path().text()));
        return paths;
    }

    @Test
    void aWalkReturnsAllFilesOfAFolderTogether() {
        try (SqliteManifest manifest =
                manifest(
                        "m",
                        List.of(
                                object("a.b", "1"),
                                object("a/x", "1"),
                                object("a/b/c", "1"),
                                object("z", "1")))) {
            assertThat(walk(manifest, "")).containsExactly("a/b/c", "a/x", "a.b", "z");
            assertThat(walk(manifest, "a/b/c")).containsExactly("a/x", "a.b", "z");
            assertThat(walk(manifest, "a/")).containsExactly("a/b/c", "a/x", "a.b", "z");
            assertThat(walk(manifest, "a")).as("behind all of it").containsExactly("a.b", "z");
            assertThat(walk(manifest, "a/b/d/e")).containsExactly("a/x", "a.b", "z");
            assertThat(walk(manifest, "z/y")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aWalkContinuesAfterAnyPath(long seed) {
        Random random = new Random(seed);
        Map<FilePath, LakeObject> model = new TreeMap<>();
        Listings.random(random, PREFIX, 400).values().forEach(it -> model.put(path(it), it));
        try (SqliteManifest manifest = manifest("m" + seed, model.values())) {
            List<String> all = model.keySet().stream().map(FilePath::text).toList();
            assertThat(walk(manifest, "")).isEqualTo(all);
            for (int i = 0; i < all.size(); i += 37) {
                assertThat(walk(manifest, all.get(i))).isEqualTo(all.subList(i + 1, all.size()));
            }
        }
    }

    private static FilePath path(LakeObject object) {
        return new FilePath(object.key().substring(PREFIX.length()));
    }

    @Test
    void aPageReportsAddedRemovedAndChangedFiles() {
        try (SqliteManifest before =
                        manifest(
                                "one",
                                List.of(object("a", "1"), object("b/c", "1"), object("d", "1")));
                SqliteManifest after =
                        manifest(
                                "two",
                                List.of(object("a", "1"), object("b", "1"), object("d", "2")))) {
            Difference.Page page = Difference.page(before, after, FilePath.NONE, 10, ALL);

            assertThat(page.items())
                    .extracting(DifferenceTest::told)
                    .containsExactly("+b", "-b/c", "~d");
            assertThat(page.next()).isNull();
        }
    }

    private static String told(Difference difference) {
        String change = difference.before() == null ? "+" : difference.after() == null ? "-" : "~";
        return change + difference.path();
    }

    /** The page size, and the number of paths that one page compares, must not matter. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void pagesTogetherContainTheWholeDifference(long seed) {
        Random random = new Random(seed);
        Map<FilePath, LakeObject> one = new TreeMap<>();
        Listings.random(random, PREFIX, 300).values().forEach(it -> one.put(path(it), it));
        Map<FilePath, LakeObject> other = new TreeMap<>(one);
        other.keySet().removeIf(_ -> random.nextInt(10) == 0);
        other.replaceAll(
                (_, it) ->
                        random.nextInt(10) == 0
                                ? new LakeObject(it.key(), it.size(), it.modified(), "x", null)
                                : it);
        one.keySet().removeIf(_ -> random.nextInt(10) == 0);
        try (SqliteManifest before = manifest("one" + seed, one.values());
                SqliteManifest after = manifest("two" + seed, other.values())) {
            List<String> told = new ArrayList<>();
            FilePath next = FilePath.NONE;
            while (next != null) {
                Difference.Page page = Difference.page(before, after, next, 7, 40);
                assertThat(page.items()).hasSizeLessThanOrEqualTo(7);
                page.items().forEach(each -> told.add(told(each)));
                next = page.next();
            }

            assertThat(told).isEqualTo(expected(one, other));
        }
    }

    private static List<String> expected(
            Map<FilePath, LakeObject> one, Map<FilePath, LakeObject> other) {
        TreeSet<FilePath> paths = new TreeSet<>(one.keySet());
        paths.addAll(other.keySet());
        List<String> told = new ArrayList<>();
        for (FilePath path : paths) {
            @Nullable LakeObject before = one.get(path);
            @Nullable LakeObject after = other.get(path);
            if (before == null) {
                told.add("+" + path);
            } else if (after == null) {
                told.add("-" + path);
            } else if (!Objects.equals(before.etag(), after.etag())) {
                told.add("~" + path);
            }
        }
        return told;
    }
}
