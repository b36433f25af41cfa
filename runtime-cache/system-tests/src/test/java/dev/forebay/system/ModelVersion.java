package dev.forebay.system;

import dev.forebay.model.DatasetVersion;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A version of the model: names and sizes. {@link ModelContent} has the bytes.
 *
 * @param index from 0
 */
record ModelVersion(int index, NavigableMap<String, Integer> files) {

    /** The number of versions. The last one is evicted and mounted again during a run. */
    static final int COUNT = 3;

    /** A file of the first version whose object was replaced in the lake. */
    static final String CHANGED = "changed/object";

    static final String SMALL = "small";
    private static final int SMALL_FILES = 300;
    private static final int[] BIG = {(8 << 20) + 1, (12 << 20) - 1, 5_000_017};

    /** Returns the path of a file. */
    Path path(Path mountpoint, String file) {
        return mountpoint.resolve(name().path()).resolve(file);
    }

    static List<ModelVersion> all() {
        return IntStream.range(0, COUNT).mapToObj(ModelVersion::of).toList();
    }

    private static ModelVersion of(int index) {
        NavigableMap<String, Integer> files = new TreeMap<>();
        for (int i = 0; i < BIG.length; i++) {
            files.put("big/" + i, BIG[i] + index);
        }
        for (int i = 0; i < SMALL_FILES; i++) {
            files.put(SMALL + "/%03d".formatted(i), (i * 137 + index) % 40_000);
        }
        files.put("a/b/c/deep", 4096);
        if (index == 0) {
            files.put(CHANGED, 50_000);
        }
        return new ModelVersion(index, files);
    }

    DatasetVersion name() {
        return DatasetVersion.of("model", "data", "v" + index);
    }

    /** Returns the length of a file in bytes. */
    int size(String file) {
        return files.getOrDefault(file, 0);
    }

    ModelContent content(String file) {
        return ModelContent.of(name().toString(), file);
    }
}
