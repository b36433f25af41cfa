package dev.forebay.image;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.Segment;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.model.DatasetVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An invented version for tests, with its manifest and its image. */
record TestVersion(ManifestFile manifest, ImageName name, ImageFile image) {

    static final String PREFIX = "lake/p/";

    private static final Comparator<String> UTF8_ORDER =
            Comparator.comparing(
                    text -> text.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private static final List<String> NAMES =
            List.of(
                    "a",
                    "a-b",
                    "a.b",
                    "!first",
                    "-dash",
                    ".hidden",
                    ".-x",
                    "...",
                    "..a",
                    ".!",
                    "with space",
                    "ünïcode",
                    "日本語",
                    "😀",
                    "\uE000",
                    "new\nline",
                    "\u0001",
                    "~",
                    "quote'\"",
                    "back\\slash",
                    "A",
                    "x".repeat(255),
                    "é".repeat(127));

    /**
     * Returns an empty map for objects by the part of their keys after the prefix, in the order of
     * a lake.
     */
    static SortedMap<String, LakeObject> noObjects() {
        return new TreeMap<>(UTF8_ORDER);
    }

    static void put(
            SortedMap<String, LakeObject> objects, String path, long size, Instant modified) {
        boolean versioned = path.length() % 2 == 0;
        objects.put(
                path,
                new LakeObject(
                        PREFIX + path,
                        size,
                        modified,
                        "etag-%08x-%d".formatted(path.hashCode(), size),
                        versioned ? "version-" + path.hashCode() : null));
    }

    static void put(SortedMap<String, LakeObject> objects, String path, long size) {
        put(objects, path, size, Instant.ofEpochSecond(1_700_000_000L + size, size % 1000));
    }

    /** Returns a tree with difficult names, empty files, and empty and large directories. */
    static SortedMap<String, LakeObject> random(Random random, int files) {
        SortedMap<String, LakeObject> objects = noObjects();
        for (int i = 0; i < files; i++) {
            StringBuilder path = new StringBuilder();
            for (int depth = random.nextInt(4); depth > 0; depth--) {
                path.append('d').append(NAMES.get(random.nextInt(12))).append('/');
            }
            if (random.nextInt(100) == 0) {
                put(objects, path + "e" + i + "/", 0);
            }
            String name = NAMES.get(random.nextInt(NAMES.size()));
            path.append(name.length() > 100 ? name : name + i);
            put(
                    objects,
                    path.toString(),
                    size(random),
                    Instant.ofEpochSecond(
                            random.nextLong(-2_000_000_000L, 4_000_000_000L),
                            random.nextInt(1_000_000_000)));
        }
        return objects;
    }

    private static long size(Random random) {
        long[] edges = {0, 1, 4095, 4096, 4097, 8191, 8192, 65_537, 300_000};
        return random.nextBoolean() ? edges[random.nextInt(edges.length)] : random.nextInt(30_000);
    }

    /** Writes manifest and image to a directory. Their names begin with the version's. */
    static TestVersion write(
            Path directory,
            String version,
            Collection<LakeObject> objects,
            long packBytes,
            @Nullable TestVersion previous) {
        Path file = directory.resolve(version + ".sqlite");
        ManifestFile manifest;
        try (SqliteManifest before =
                        previous == null ? null : SqliteManifest.open(previous.manifest.path());
                ManifestWriter writer =
                        new ManifestWriter(file, "bucket", PREFIX, packBytes, before)) {
            objects.forEach(writer::add);
            manifest = writer.finish();
        }
        ImageName name =
                new ImageName(DatasetVersion.of("team", "set", version), manifest.digest());
        ImageFile image = ErofsImage.write(file, name, directory.resolve(version + ".erofs"));
        return new TestVersion(manifest, name, image);
    }

    /** Opens the manifest. The caller must close it. */
    SqliteManifest open() {
        return SqliteManifest.open(manifest.path());
    }

    /** Returns the content of an object. */
    static byte[] bytes(LakeObject object) {
        byte[] bytes = new byte[Math.toIntExact(object.size())];
        new Random(object.etag().hashCode()).nextBytes(bytes);
        return bytes;
    }

    /**
     * Writes each pack's file, in order, with only the objects of this version. Objects of other
     * versions are holes.
     */
    List<Path> writePacks(Path directory, Collection<LakeObject> objects) throws IOException {
        List<Path> files = new ArrayList<>();
        SortedMap<String, LakeObject> byKey = noObjects();
        objects.forEach(object -> byKey.put(object.key(), object));
        try (SqliteManifest opened = open()) {
            for (Pack pack : opened.packs()) {
                Path file = directory.resolve(pack.id().digest().abbreviated() + ".pack");
                Files.deleteIfExists(file);
                try (FileChannel out = sparse(file, pack.bytes())) {
                    for (Segment segment : opened.segments(pack.id(), 0, pack.bytes())) {
                        LakeObject object = byKey.get(segment.key());
                        if (object == null) {
                            throw new AssertionError("no object " + segment.key());
                        }
                        out.write(ByteBuffer.wrap(bytes(object)), segment.packOffset());
                    }
                }
                files.add(file);
            }
        }
        return files;
    }

    /** Creates a file without content. The caller must close it. */
    static FileChannel sparse(Path file, long bytes) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        channel.write(ByteBuffer.allocate(1), bytes - 1);
        return channel;
    }
}
