package dev.forebay.manifest.write;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.ManifestFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Listings of invented buckets, in the order of S3. */
public final class Listings {

    public static final Comparator<String> UTF8_ORDER =
            Comparator.comparing(
                    text -> text.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private static final String[] NAMES = {
        "a", "b", "a-b", "a.b", "a b", "ä", "日本", "😀", "\uE000", "0", "~", "%2F", "x\ny", "A", "\\"
    };

    private Listings() {}

    static LakeObject object(String key, long size) {
        return new LakeObject(
                key,
                size,
                Instant.ofEpochSecond(1_700_000_000L + key.hashCode() % 1000, size % 1000),
                "etag-" + key.hashCode() + "-" + size,
                null);
    }

    /** Returns a random tree without keys that are both file and directory. */
    public static Map<String, LakeObject> random(Random random, String prefix, int objects) {
        Map<String, LakeObject> listing = new TreeMap<>(UTF8_ORDER);
        for (int i = 0; i < objects; i++) {
            StringBuilder key = new StringBuilder(prefix);
            int depth = random.nextInt(5);
            for (int d = 0; d < depth; d++) {
                key.append(NAMES[random.nextInt(NAMES.length)]).append('/');
            }
            key.append("f").append(NAMES[random.nextInt(NAMES.length)]).append(random.nextInt(30));
            put(listing, object(key.toString(), size(random)));
        }
        return listing;
    }

    private static long size(Random random) {
        long[] edges = {0, 1, 4095, 4096, 4097, (8 << 20) - 1, 8 << 20, (8 << 20) + 1, 30_000_000};
        return random.nextBoolean() ? edges[random.nextInt(edges.length)] : random.nextInt(100_000);
    }

    private static void put(Map<String, LakeObject> listing, LakeObject object) {
        listing.put(object.key(), object);
    }

    public static ManifestFile write(
            Path target,
            String prefix,
            Iterable<LakeObject> objects,
            long packBytes,
            @Nullable Manifest previous) {
        try (ManifestWriter writer =
                new ManifestWriter(target, "bucket", prefix, packBytes, previous)) {
            objects.forEach(writer::add);
            return writer.finish();
        }
    }

    public static ManifestFile write(Path target, String prefix, List<String> keys) {
        List<LakeObject> objects = new ArrayList<>();
        keys.stream().sorted(UTF8_ORDER).forEach(key -> objects.add(object(key, 10)));
        return write(target, prefix, objects, ManifestWriter.DEFAULT_PACK_BYTES, null);
    }
}
