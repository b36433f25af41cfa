package dev.forebay.membership;

import static java.util.Map.entry;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.NodeName;
import dev.forebay.model.RegionName;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Builds and parses the keys of a region; {@code docs/interfaces.md}, "Region state in etcd".
 *
 * @param root prefix of all keys that every process of the region follows, ending in a slash
 * @param nodes prefix of the keys of nodes, ending in a slash. It is not below the root: otherwise
 *     a thousand pods would receive each change of a thousand nodes, which only agents need
 */
public record Keys(String root, String nodes) {

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /** Prefix of the keys of all regions. */
    public static final String ALL = "/forebay/";

    public static final String WORKERS = "workers";
    public static final String LIVE = "live";
    public static final String MOUNTS = "mounts";
    public static final String PINS = "pins";
    public static final String REPLICAS = "replicas";
    public static final String QUEUE = "queue";
    public static final String GATE = "gate";
    public static final String SOURCES = "sources";
    public static final String DEPARTED = "departed";

    /** The number of names in a key of each kind, with the kind itself. */
    private static final Map<String, Integer> NAMES =
            Map.ofEntries(
                    entry(WORKERS, 2),
                    entry(LIVE, 2),
                    entry(DEPARTED, 2),
                    entry(MOUNTS, 4),
                    entry(PINS, 5),
                    entry(REPLICAS, 4),
                    entry(QUEUE, 4),
                    entry(GATE, 1),
                    entry(SOURCES, 4));

    /** Kinds of rows that protect no data. */
    private static final Set<String> CLAIM_NOTHING =
            Set.of(WORKERS, LIVE, DEPARTED, REPLICAS, QUEUE, GATE, SOURCES);

    public static Keys of(RegionName region) {
        return new Keys(ALL + region + "/", "/forebay-nodes/" + region + "/");
    }

    /**
     * Returns the names in a key without the region's root. The first one is its kind.
     *
     * @throws IOException if it is a key of no kind
     */
    public static String[] names(String key) throws IOException {
        String[] names = key.split("/", -1);
        if (NAMES.getOrDefault(names[0], 0) != names.length) {
            throw new IOException("no such kind of key");
        }
        return names;
    }

    /** Returns whether a row with this key, without the region's root, may protect data. */
    static boolean mayClaim(String key) {
        try {
            return !CLAIM_NOTHING.contains(names(key)[0]);
        } catch (IOException ofLaterRelease) {
            return true;
        }
    }

    /** Returns the first possible key after all keys with a prefix that ends in a slash. */
    public static String after(String prefix) {
        return prefix.substring(0, prefix.length() - 1) + (char) ('/' + 1);
    }

    /** Returns the key for the versions that a node holds, a row under a lease. */
    public String node(NodeName node) {
        return nodes + node;
    }

    public String worker(String id) {
        return root + WORKERS + "/" + checked("worker", id);
    }

    public String live(String id) {
        return root + LIVE + "/" + checked("worker", id);
    }

    public String mount(DatasetVersion version) {
        return root + MOUNTS + "/" + version.path();
    }

    public String replicas(DatasetVersion version) {
        return root + REPLICAS + "/" + version.path();
    }

    /** Returns the key of a version that waits for space, a row under a lease. */
    public String waiting(DatasetVersion version) {
        return root + QUEUE + "/" + version.path();
    }

    /**
     * Returns the key of a worker whose row was removed because it stayed away. The row is under a
     * lease.
     */
    public String departed(String id) {
        return root + DEPARTED + "/" + checked("worker", id);
    }

    /** Returns the key of the gate, which every entry into the mount table touches. */
    public String gate() {
        return root + GATE;
    }

    public String sources(DatasetVersion version) {
        return root + SOURCES + "/" + version.path();
    }

    public String pinsOf(DatasetVersion version) {
        return root + PINS + "/" + version.path() + "/";
    }

    public String pin(DatasetVersion version, String id) {
        return pinsOf(version) + checked("pin", id);
    }

    private static String checked(String what, String id) {
        if (!ID.matcher(id).matches()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s id '%s' must be 1 to 64 characters of A-Z a-z 0-9 . _ -"
                            .formatted(what, id));
        }
        return id;
    }
}
