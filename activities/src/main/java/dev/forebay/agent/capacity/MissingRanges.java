package dev.forebay.agent.capacity;

import dev.forebay.agent.workers.CoverageCheck;
import dev.forebay.agent.workers.Workers;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.ChunkTotals;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import dev.forebay.service.gateway.RegionSurvey.Missing;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the parts of a version that are missing in the region, whether the version is mounted or
 * not. Workers know the chunks of mounted versions only. A version that is not mounted has the
 * chunks of mounted versions that share its packs.
 */
final class MissingRanges {

    private static final int PAGE = 1024;

    /** Each relative costs one manifest and one request to every worker. */
    private static final int MOST_RELATIVES = 8;

    private final Workers workers;
    private final ManifestCache manifests;

    MissingRanges(Workers workers, ManifestCache manifests) {
        this.workers = workers;
        this.manifests = manifests;
    }

    /**
     * Returns what is missing of a version.
     *
     * @param mounted the mounted versions that share packs with this one, including itself if it is
     *     mounted
     */
    Missing missing(ManifestRef ref, List<ManifestRef> mounted) {
        try (CachedManifest manifest = manifests.open(ref)) {
            return mounted.contains(ref)
                    ? missing(manifest, ref.digest())
                    : missing(manifest, held(manifest, mounted));
        }
    }

    private Missing missing(Manifest manifest, Digest digest) {
        CoverageCheck.Held held = new CoverageCheck(workers).held(digest, manifest);
        Gaps gaps = new Gaps(manifest);
        for (long from = 0; from < manifest.chunkCount(); from += PAGE) {
            for (ChunkRef chunk : manifest.chunks(from, PAGE)) {
                if (!held.chunks().get(Math.toIntExact(chunk.ordinal()))) {
                    gaps.add(chunk);
                }
            }
        }
        return gaps.missing(held.complete());
    }

    private static Missing missing(Manifest manifest, Map<PackId, int[]> shared) {
        Gaps gaps = new Gaps(manifest);
        for (long from = 0; from < manifest.chunkCount(); from += PAGE) {
            for (ChunkRef chunk : manifest.chunks(from, PAGE)) {
                int[] held = shared.get(chunk.chunk().pack());
                if (held == null || held[chunk.chunk().index()] < chunk.liveBytes()) {
                    gaps.add(chunk);
                }
            }
        }
        return gaps.missing(shared.isEmpty());
    }

    /**
     * Returns the live bytes of each chunk that the region holds, for each pack of which it holds a
     * part.
     */
    private Map<PackId, int[]> held(Manifest manifest, List<ManifestRef> relatives) {
        Map<PackId, int[]> held = new HashMap<>();
        relatives.stream()
                .limit(MOST_RELATIVES)
                .forEach(relative -> addHeld(relative, manifest, held));
        return held;
    }

    private void addHeld(ManifestRef relative, Manifest wanted, Map<PackId, int[]> held) {
        try (CachedManifest other = manifests.open(relative)) {
            List<Pack> common = other.packs().stream().filter(wanted.packs()::contains).toList();
            if (common.isEmpty()) {
                return;
            }
            common.forEach(
                    pack ->
                            held.computeIfAbsent(
                                    pack.id(),
                                    id ->
                                            new int
                                                    [Math.toIntExact(
                                                            Math.ceilDiv(
                                                                    pack.bytes(),
                                                                    ChunkId.CHUNK_BYTES))]));
            BitSet bits = new CoverageCheck(workers).held(relative.digest(), other).chunks();
            for (long from = 0; from < other.chunkCount(); from += PAGE) {
                for (ChunkRef chunk : other.chunks(from, PAGE)) {
                    int[] live = held.get(chunk.chunk().pack());
                    if (live != null && bits.get(Math.toIntExact(chunk.ordinal()))) {
                        int index = chunk.chunk().index();
                        live[index] = Math.max(live[index], chunk.liveBytes());
                    }
                }
            }
        }
    }

    /** Adds up missing chunks in the order of the manifest. Adjacent chunks form a run. */
    private static final class Gaps {
        private final Manifest manifest;
        private long bytes;
        private long objects;
        private long reads;
        private @Nullable PackId pack;
        private long from;
        private long to;
        private long before;

        Gaps(Manifest manifest) {
            this.manifest = manifest;
        }

        void add(ChunkRef chunk) {
            bytes += chunk.liveBytes();
            ChunkId id = chunk.chunk();
            if (!id.pack().equals(pack) || id.start() != to) {
                boolean goesOn = id.pack().equals(pack);
                close();
                before = goesOn ? to : 0;
                pack = id.pack();
                from = id.start();
            }
            to = id.start() + ChunkId.CHUNK_BYTES;
        }

        private void close() {
            PackId of = pack;
            if (of == null) {
                return;
            }
            ChunkTotals tally = manifest.tally(of, from, to);
            reads += tally.reads();
            objects += tally.objects() - (reachesIn(of) ? 1 : 0);
        }

        /** Returns whether an object that the previous run has counted reaches into this one. */
        private boolean reachesIn(PackId of) {
            return before > 0
                    && manifest.segments(of, from, from + 1).stream()
                            .anyMatch(segment -> segment.packOffset() < before);
        }

        Missing missing(boolean exact) {
            close();
            return new Missing(bytes, objects, reads, exact);
        }
    }
}
