package dev.forebay.agent.capacity;

import dev.forebay.manifest.Pack;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jboss.logging.Logger;

/**
 * Sorts versions into families. A family has the versions, of any datasets, that share packs
 * directly or through other versions. The space of a family does not depend on versions outside it.
 * Safe for use by many threads.
 */
final class VersionFamilies {

    private static final Logger LOG = Logger.getLogger(VersionFamilies.class);

    /** A version has few packs: one for each TiB, and at most 64 small ones. */
    private static final int MOST_REMEMBERED = 10_000;

    private static final int HEX_OF_A_LONG = 16;
    private static final int HEX = 16;

    private static final long[] NONE = {};

    private final ManifestCache manifests;
    // In order of last use, and guarded by itself.
    private final Map<Digest, long[]> known = new LinkedHashMap<>(16, 0.75f, true);

    VersionFamilies(ManifestCache manifests) {
        this.manifests = manifests;
    }

    /**
     * Returns the families of these versions. If there are several versions, reads each manifest
     * once for its packs. A version whose manifest cannot be read now is a family of its own. The
     * space then seems larger than it is, never smaller.
     */
    List<Set<ManifestRef>> of(Set<ManifestRef> versions) {
        if (versions.isEmpty()) {
            return List.of();
        }
        if (versions.size() == 1) {
            return List.of(versions);
        }
        List<ManifestRef> all = List.copyOf(versions);
        int[] parents = IntStream.range(0, all.size()).toArray();
        Map<Long, Integer> firstWith = new HashMap<>();
        for (int i = 0; i < all.size(); i++) {
            for (long pack : packs(all.get(i))) {
                Integer first = firstWith.putIfAbsent(pack, i);
                if (first != null) {
                    parents[root(parents, i)] = root(parents, first);
                }
            }
        }
        Map<Integer, Set<ManifestRef>> families = new LinkedHashMap<>();
        for (int i = 0; i < all.size(); i++) {
            families.computeIfAbsent(root(parents, i), _ -> new HashSet<>()).add(all.get(i));
        }
        return List.copyOf(families.values());
    }

    private static int root(int[] parents, int of) {
        int at = of;
        while (parents[at] != at) {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        return at;
    }

    private long[] packs(ManifestRef version) {
        synchronized (known) {
            long[] packs = known.get(version.digest());
            if (packs != null) {
                return packs;
            }
        }
        long[] packs;
        try (CachedManifest manifest = manifests.open(version)) {
            packs = manifest.packs().stream().mapToLong(VersionFamilies::prefix).toArray();
        } catch (ForebayException e) {
            LOG.warnf(
                    "Cannot read manifest %s, so chunks that it shares with other versions count "
                            + "several times: %s",
                    version.uri(), e.getMessage());
            return NONE;
        }
        synchronized (known) {
            known.put(version.digest(), packs);
            Iterator<?> eldest = known.keySet().iterator();
            while (known.size() > MOST_REMEMBERED) {
                eldest.next();
                eldest.remove();
            }
        }
        return packs;
    }

    /**
     * Returns the first 64 bits of a pack's digest. Equal bits of different packs only join two
     * families, whose chunks are then compared in full.
     */
    private static long prefix(Pack pack) {
        return Long.parseUnsignedLong(pack.id().toString(), 0, HEX_OF_A_LONG, HEX);
    }
}
