package dev.forebay.system;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * A dataset of a round of crashes: each of its objects is a chunk, so that what is fetched from the
 * lake can be counted in chunks.
 *
 * @param name {@code namespace/name}; with a slash behind it, the prefix of its objects
 * @param tree the objects below the prefix
 */
record CrashDataset(String name, Map<String, byte[]> tree) {

    static final int CHUNK = 8 << 20;

    /** Longer than any round. */
    private static final Duration TTL = Duration.ofHours(1);

    /** Bytes that depend on the seed alone. */
    static CrashDataset of(String name, int chunks, long seed) {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < chunks; i++) {
            tree.put("%02d.bin".formatted(i), LakeFixture.bytes(seed + i, CHUNK));
        }
        return new CrashDataset(name, tree);
    }

    /** Puts it into the lake and registers it. */
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

    /** Of its objects, which is the room it takes, too. */
    long bytes() {
        return (long) chunks() * CHUNK;
    }

    /** How often the lake was asked for its objects, successfully. */
    int gets(RunningStack stack) throws Exception {
        return stack.lake().gets(prefix()).values().stream().mapToInt(Integer::intValue).sum();
    }
}
