package dev.forebay.agent;

import dev.forebay.manifest.CachedManifest;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetName;
import dev.forebay.model.ManifestRef;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How much of a region's stores versions take. What versions of one dataset share counts once: that
 * is known from their manifests. Safe for use by many threads.
 */
final class Rooms {

    private static final int PAGE = 1024;
    private static final int MOST_REMEMBERED = 1_000;

    private final ManifestCache manifests;
    // In order of last use; guarded by itself.
    private final Map<Set<ManifestRef>, Long> known = new LinkedHashMap<>(16, 0.75f, true);

    Rooms(ManifestCache manifests) {
        this.manifests = manifests;
    }

    /** What all of these take together. */
    long of(Collection<Mount> mounts) {
        Map<DatasetName, Set<ManifestRef>> byDataset =
                mounts.stream()
                        .collect(
                                Collectors.groupingBy(
                                        mount -> mount.version().dataset(),
                                        Collectors.mapping(Mount::manifest, Collectors.toSet())));
        return byDataset.values().stream().mapToLong(this::ofOneDataset).sum();
    }

    /** What it takes more when {@code manifest}, of this dataset, is mounted too. */
    long more(DatasetName dataset, ManifestRef manifest, Collection<Mount> mounts) {
        Set<ManifestRef> there =
                mounts.stream()
                        .filter(mount -> mount.version().dataset().equals(dataset))
                        .map(Mount::manifest)
                        .collect(Collectors.toSet());
        Set<ManifestRef> then = new HashSet<>(there);
        if (!then.add(manifest)) {
            return 0;
        }
        return there.isEmpty() ? manifest.roomBytes() : exactly(then) - exactly(there);
    }

    /** One version by itself is as large as its manifest's name says; that one need not be read. */
    private long ofOneDataset(Set<ManifestRef> versions) {
        return versions.size() < 2
                ? versions.stream().mapToLong(ManifestRef::roomBytes).sum()
                : exactly(versions);
    }

    private long exactly(Set<ManifestRef> versions) {
        synchronized (known) {
            Long room = known.get(versions);
            if (room != null) {
                return room;
            }
        }
        long room = union(versions);
        synchronized (known) {
            known.put(Set.copyOf(versions), room);
            if (known.size() > MOST_REMEMBERED) {
                known.remove(known.keySet().iterator().next());
            }
        }
        return room;
    }

    private long union(Set<ManifestRef> versions) {
        Set<ChunkId> chunks = new HashSet<>();
        long room = 0;
        for (ManifestRef version : versions) {
            try (CachedManifest manifest = manifests.open(version)) {
                for (long from = 0; from < manifest.chunkCount(); from += PAGE) {
                    List<ChunkRef> page = manifest.chunks(from, PAGE);
                    for (ChunkRef chunk : page) {
                        room += chunks.add(chunk.chunk()) ? chunk.length() : 0;
                    }
                }
            }
        }
        return room;
    }
}
