package dev.forebay.benchmarks.stack;

import dev.forebay.lake.LakeObject;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The names and sizes of many generated objects.
 *
 * @param objects how many there are
 * @param perFolder how many of them are in one folder
 */
public record SyntheticVersion(int objects, int perFolder) {

    public static final String PREFIX = "datasets/photos/";

    private static final long OBJECT_BYTES = 100_000;

    /** Returns the objects in the order of a listing. */
    public Stream<LakeObject> listing() {
        return IntStream.range(0, objects).mapToObj(this::object);
    }

    /** Returns the object with this number in that order. */
    public LakeObject object(int i) {
        return new LakeObject(
                PREFIX + path(i),
                OBJECT_BYTES,
                Instant.ofEpochSecond(1_700_000_000L + i),
                etag(i),
                null);
    }

    /** Creates empty sparse files with the same names and sizes. */
    public void makeFiles(Path root) throws IOException {
        Path folder = root;
        for (int i = 0; i < objects; i++) {
            if (i % perFolder == 0) {
                folder = Files.createDirectories(root.resolve(path(i)).getParent());
            }
            try (RandomAccessFile made =
                    new RandomAccessFile(folder.resolve(name(i)).toFile(), "rw")) {
                made.setLength(OBJECT_BYTES);
            }
        }
    }

    /** Returns the facts on which figures per object depend. */
    public Map<String, Object> circumstances() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("objects", objects);
        all.put("objects_in_a_folder", perFolder);
        all.put("name_bytes", name(0).length());
        all.put("key_bytes", PREFIX.length() + path(0).length());
        all.put("etag_bytes", etag(0).length());
        return all;
    }

    private String path(int i) {
        return "train/%06d/".formatted(i / perFolder) + name(i);
    }

    private static String name(int i) {
        return "img-%08d.jpg".formatted(i);
    }

    private static String etag(int i) {
        return HexFormat.of().toHexDigits(i * 0x9E3779B97F4A7C15L).repeat(2);
    }
}
