package dev.forebay.system;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * A dataset whose objects are one chunk each, so that tests can count lake GETs in chunks.
 *
 * @param name {@code namespace/name}; followed by a slash, also the prefix of its objects
 * @param tree the objects below the prefix
 */
record CrashDataset(String name, Map<String, byte[]> tree) {

    static final int CHUNK = 8 << 20;

    /** Longer than any test. */
    private static final Duration TTL = Duration.ofHours(1);

    /** Creates objects whose bytes depend only on the seed. */
    static CrashDataset of(String name, int chunks, long seed) {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < chunks; i++) {
            tree.put("%02d.bin".formatted(i), LakeFixture.bytes(seed + i, CHUNK));
        }
        return new CrashDataset(name, tree);
    }

    /** Puts the objects into the lake and registers the dataset. */
    void register(RunningStack stack) throws Exception {
        stack.lake().putAll(prefix(), tree);
        stack.api().register(name, "s3://datasets/" + prefix(), TTL);
    }

    String version() {
        return name + "@v1";
    }

    String prefix() {
        return name + "/";
    }

    int chunks() {
        return tree.size();
    }

    /** Returns the bytes of its objects, which is also the capacity that a copy needs. */
    long bytes() {
        return (long) chunks() * CHUNK;
    }

    /** Returns the number of successful GETs of its objects in the lake's access log. */
    int gets(RunningStack stack) throws Exception {
        return stack.lake().countGets(prefix());
    }
}
