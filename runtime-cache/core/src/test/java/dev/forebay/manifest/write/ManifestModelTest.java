package dev.forebay.manifest.write;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.ChunkTotals;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Segment;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writes random trees, reads them back and compares them with the listing. The test's name has the
 * seed.
 */
class ManifestModelTest {

    private static final long PACK_BYTES = 64 << 20;
    private static final String PREFIX = "data/set/";

    @TempDir Path directory;

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aManifestContainsExactlyTheListedObjects(long seed) {
        Random random = new Random(seed);
        Map<String, LakeObject> listing = Listings.random(random, PREFIX, 1 + random.nextInt(300));
        ManifestFile file =
                Listings.write(directory.resolve("v1"), PREFIX, listing.values(), PACK_BYTES, null);
        try (Manifest manifest = SqliteManifest.open(file.path())) {
            check(file, manifest, listing);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12, 13, 14, 15, 16})
    void aSecondVersionKeepsThePlacesOfUnchangedObjects(long seed) {
        Random random = new Random(seed);
        Map<String, LakeObject> first = Listings.random(random, PREFIX, 200);
        Map<String, LakeObject> second = new TreeMap<>(Listings.UTF8_ORDER);
        second.putAll(first);
        second.keySet().removeIf(key -> random.nextInt(4) == 0);
        second.replaceAll(
                (key, object) ->
                        random.nextInt(4) == 0 ? Listings.object(key, object.size() + 1) : object);
        second.putAll(Listings.random(random, PREFIX + "new/", 20));

        ManifestFile one =
                Listings.write(directory.resolve("v1"), PREFIX, first.values(), PACK_BYTES, null);
        try (Manifest v1 = SqliteManifest.open(one.path())) {
            ManifestFile two =
                    Listings.write(
                            directory.resolve("v2"), PREFIX, second.values(), PACK_BYTES, v1);
            try (Manifest v2 = SqliteManifest.open(two.path())) {
                check(two, v2, second);
                Map<String, Node.File> before = files(v1);
                Set<PackId> oldPacks = new HashSet<>();
                v1.packs().forEach(pack -> oldPacks.add(pack.id()));
                files(v2)
                        .forEach(
                                (path, file) -> {
                                    if (file.size() == 0) {
                                        return;
                                    }
                                    Node.File old = before.get(path);
                                    if (old != null && old.etag().equals(file.etag())) {
                                        assertThat(file.pack()).isEqualTo(old.pack());
                                        assertThat(file.packOffset()).isEqualTo(old.packOffset());
                                    } else {
                                        assertThat(oldPacks).doesNotContain(file.pack());
                                    }
                                });
            }
            ManifestFile again =
                    Listings.write(
                            directory.resolve("v2b"), PREFIX, second.values(), PACK_BYTES, v1);
            assertThat(again.digest()).isEqualTo(two.digest());
        }
    }

    private static void check(
            ManifestFile file, Manifest manifest, Map<String, LakeObject> listing) {
        Map<String, Node.File> files = files(manifest);
        assertThat(files.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        listing.keySet().stream()
                                .map(key -> key.substring(PREFIX.length()))
                                .toList());
        long bytes = 0;
        for (LakeObject object : listing.values()) {
            Node.File node = requireNonNull(files.get(object.key().substring(PREFIX.length())));
            assertThat(node.key()).isEqualTo(object.key());
            assertThat(node.size()).isEqualTo(object.size());
            assertThat(node.etag()).isEqualTo(object.etag());
            assertThat(node.versionId()).isEqualTo(object.versionId());
            assertThat(node.mtimeNanos())
                    .isEqualTo(ChronoUnit.NANOS.between(Instant.EPOCH, object.modified()));
            assertThat(manifest.node(node.id())).contains(node);
            bytes += object.size();
        }
        assertThat(manifest.objects()).isEqualTo(listing.size()).isEqualTo(file.objects());
        assertThat(manifest.bytes()).isEqualTo(bytes).isEqualTo(file.bytes());
        checkPlaces(manifest, files);
        assertThat(manifest.chunkCount()).isEqualTo(file.chunks());
    }

    private static void checkPlaces(Manifest manifest, Map<String, Node.File> files) {
        Map<ChunkId, Integer> live = new HashMap<>();
        Map<PackId, Map<Long, Node.File>> byPack = new HashMap<>();
        for (Node.File node : files.values()) {
            if (node.size() == 0) {
                continue;
            }
            assertThat(node.packOffset() % ChunkId.ALIGNMENT_BYTES).isZero();
            byPack.computeIfAbsent(node.pack(), pack -> new TreeMap<>())
                    .put(node.packOffset(), node);
            for (long at = node.packOffset(); at < node.packOffset() + node.size(); ) {
                ChunkId chunk = ChunkId.at(node.pack(), at);
                long next =
                        Math.min(
                                node.packOffset() + node.size(),
                                chunk.start() + ChunkId.CHUNK_BYTES);
                live.merge(chunk, (int) (next - at), Integer::sum);
                at = next;
            }
        }
        Map<PackId, Long> extents = new LinkedHashMap<>();
        manifest.packs().forEach(pack -> extents.put(pack.id(), pack.bytes()));
        assertThat(extents.keySet()).containsExactlyInAnyOrderElementsOf(byPack.keySet());

        List<ChunkRef> chunks = new ArrayList<>();
        for (long from = 0; from < manifest.chunkCount(); from += 7) {
            chunks.addAll(manifest.chunks(from, 7));
        }
        List<PackId> order = List.copyOf(extents.keySet());
        long ordinal = 0;
        long last = -1;
        for (ChunkRef chunk : chunks) {
            assertThat(chunk.ordinal()).isEqualTo(ordinal++);
            assertThat(chunk.liveBytes()).isEqualTo(live.remove(chunk.chunk()));
            assertThat(chunk.length())
                    .isEqualTo(
                            chunk.chunk()
                                    .length(requireNonNull(extents.get(chunk.chunk().pack()))));
            long place = ((long) order.indexOf(chunk.chunk().pack()) << 32) + chunk.chunk().index();
            assertThat(place).isGreaterThan(last);
            last = place;
            checkSegments(manifest, chunk, requireNonNull(byPack.get(chunk.chunk().pack())));
            checkTally(manifest, chunk, 1 + (int) (ordinal % 3));
        }
        assertThat(live).isEmpty();
    }

    private static void checkSegments(
            Manifest manifest, ChunkRef chunk, Map<Long, Node.File> objects) {
        long from = chunk.chunk().start();
        long to = from + chunk.length();
        List<Segment> expected =
                objects.values().stream()
                        .filter(o -> o.packOffset() < to && o.packOffset() + o.size() > from)
                        .map(
                                o ->
                                        new Segment(
                                                o.packOffset(),
                                                new LakeObject(
                                                        o.key(),
                                                        o.size(),
                                                        Instant.EPOCH.plusNanos(o.mtimeNanos()),
                                                        o.etag(),
                                                        o.versionId())))
                        .toList();
        assertThat(manifest.segments(chunk.chunk().pack(), from, to)).isEqualTo(expected);
        assertThat(manifest.segments(chunk.chunk())).isEqualTo(expected);
    }

    /** Compares the counts of several chunks with the segments of each chunk. */
    private static void checkTally(Manifest manifest, ChunkRef first, int chunks) {
        PackId pack = first.chunk().pack();
        long from = first.chunk().start();
        Set<Segment> objects = new HashSet<>();
        long reads = 0;
        for (int i = 0; i < chunks; i++) {
            long at = from + (long) i * ChunkId.CHUNK_BYTES;
            List<Segment> segments = manifest.segments(pack, at, at + ChunkId.CHUNK_BYTES);
            objects.addAll(segments);
            reads += segments.size();
        }
        assertThat(manifest.tally(pack, from, from + (long) chunks * ChunkId.CHUNK_BYTES))
                .isEqualTo(new ChunkTotals(objects.size(), reads));
    }

    /**
     * Walks the tree with small pages, and checks order, lookups and directory times on the way.
     */
    private static Map<String, Node.File> files(Manifest manifest) {
        Map<String, Node.File> files = new LinkedHashMap<>();
        Node root = manifest.node(Node.ROOT_ID).orElseThrow();
        assertThat(walk(manifest, root, "", files)).isEqualTo(root.mtimeNanos());
        return files;
    }

    private static long walk(
            Manifest manifest, Node directory, String path, Map<String, Node.File> files) {
        long newest = Long.MIN_VALUE;
        String after = "";
        while (true) {
            List<Node> page = manifest.readdir(directory.id(), after, 3);
            if (page.isEmpty()) {
                assertThat(directory.mtimeNanos()).as(path).isEqualTo(newest);
                return newest;
            }
            for (Node child : page) {
                assertThat(Listings.UTF8_ORDER.compare(after, child.name())).isNegative();
                after = child.name();
                assertThat(manifest.lookup(directory.id(), child.name())).contains(child);
                switch (child) {
                    case Node.File file -> {
                        files.put(path + child.name(), file);
                        newest = Math.max(newest, file.mtimeNanos());
                    }
                    case Node.Directory sub ->
                            newest =
                                    Math.max(
                                            newest,
                                            walk(manifest, sub, path + sub.name() + "/", files));
                }
            }
        }
    }
}
