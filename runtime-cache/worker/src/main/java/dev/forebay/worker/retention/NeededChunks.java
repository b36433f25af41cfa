package dev.forebay.worker.retention;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Manifest;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The chunks that versions need, by pack. A version may need only some chunks of a pack that it
 * shares with others. Takes one bit per chunk. Immutable.
 */
final class NeededChunks {

    private static final int PAGE = 1024;

    private final Map<PackId, BitSet> places;

    private NeededChunks(Map<PackId, BitSet> places) {
        this.places = places;
    }

    /** Returns the chunks that a version needs. Blocks on the disk. */
    static NeededChunks of(Manifest manifest) {
        Map<PackId, BitSet> places = new HashMap<>();
        for (long from = 0; from < manifest.chunkCount(); from += PAGE) {
            for (ChunkRef needed : manifest.chunks(from, PAGE)) {
                ChunkId chunk = needed.chunk();
                places.computeIfAbsent(chunk.pack(), _ -> new BitSet()).set(chunk.index());
            }
        }
        return new NeededChunks(places);
    }

    /** Returns the chunks of these packs that at least one of the versions needs. */
    static NeededChunks union(Collection<NeededChunks> versions, Set<PackId> packs) {
        Map<PackId, BitSet> places = new HashMap<>();
        for (NeededChunks version : versions) {
            version.places.forEach(
                    (pack, needed) -> {
                        if (packs.contains(pack)) {
                            places.computeIfAbsent(pack, _ -> new BitSet()).or(needed);
                        }
                    });
        }
        return new NeededChunks(places);
    }

    /** Returns the packs that contain these chunks. */
    Set<PackId> packs() {
        return Collections.unmodifiableSet(places.keySet());
    }

    boolean has(ChunkId chunk) {
        BitSet needed = places.get(chunk.pack());
        return needed != null && needed.get(chunk.index());
    }
}
