package dev.forebay.worker.retention;

import dev.forebay.manifest.CachedManifest;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which chunks versions need: a version may need only some of a pack that it shares with others.
 * Takes a bit for each chunk. For one thread.
 */
final class NeededChunks {

    private static final int PAGE = 1024;

    private final MountedVersions versions;
    private final Set<ManifestRef> added = new HashSet<>();
    private final Map<PackId, BitSet> places = new HashMap<>();

    NeededChunks(MountedVersions versions) {
        this.versions = versions;
    }

    /**
     * Counts a version in, the first time.
     *
     * @throws dev.forebay.model.ForebayException if its manifest cannot be had
     */
    void add(ManifestRef version) {
        if (!added.contains(version)) {
            try (CachedManifest manifest = versions.open(version)) {
                for (long from = 0; from < manifest.chunkCount(); from += PAGE) {
                    manifest.chunks(from, PAGE).forEach(this::add);
                }
            }
            added.add(version);
        }
    }

    private void add(ChunkRef needed) {
        ChunkId chunk = needed.chunk();
        places.computeIfAbsent(chunk.pack(), _ -> new BitSet()).set(chunk.index());
    }

    /** Whether one of those that were counted in needs it. */
    boolean has(ChunkId chunk) {
        BitSet ofPack = places.get(chunk.pack());
        return ofPack != null && ofPack.get(chunk.index());
    }
}
