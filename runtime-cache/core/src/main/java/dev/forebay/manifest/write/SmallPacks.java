package dev.forebay.manifest.write;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Pack;
import dev.forebay.model.PackId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Limits the number of packs of a dataset that changes often. Each version puts its new objects
 * into a pack of its own, and keeps the previous version's packs while any of their objects exist.
 *
 * <p>A pack is small if its live bytes would fill less than half of a new pack. If there are more
 * than {@link #MOST} small packs, the {@link #KEPT} fullest stay, and the objects of the others get
 * new places in the new version's packs. A version thus has at most 64 small packs beside its own.
 * In return, an object in a small pack is fetched again about once in 48 versions that add a pack,
 * and less often as packs get fuller. This is size-tiered merging, as in log-structured merge trees
 * (O'Neil et al., 1996).
 */
final class SmallPacks {

    static final int MOST = 64;
    static final int KEPT = 16;

    private static final int CHUNKS_AT_ONCE = 10_000;

    private SmallPacks() {}

    /**
     * Returns the packs whose objects get new places in the next version. The result depends only
     * on the arguments.
     *
     * @param packBytes the maximum size of a new pack
     */
    static Set<PackId> toMerge(Manifest manifest, long packBytes) {
        if (manifest.packs().size() <= MOST) {
            return Set.of();
        }
        Map<PackId, Long> live = liveBytes(manifest);
        List<PackId> small =
                manifest.packs().stream()
                        .map(Pack::id)
                        .filter(pack -> live.getOrDefault(pack, 0L) < packBytes / 2)
                        .sorted(Comparator.comparing((PackId pack) -> live.getOrDefault(pack, 0L)))
                        .toList();
        return small.size() <= MOST
                ? Set.of()
                : small.stream().limit(small.size() - KEPT).collect(Collectors.toSet());
    }

    private static Map<PackId, Long> liveBytes(Manifest manifest) {
        Map<PackId, Long> live = new HashMap<>();
        List<ChunkRef> chunks = manifest.chunks(0, CHUNKS_AT_ONCE);
        while (!chunks.isEmpty()) {
            chunks.forEach(
                    chunk -> live.merge(chunk.chunk().pack(), (long) chunk.liveBytes(), Long::sum));
            chunks = manifest.chunks(chunks.getLast().ordinal() + 1, CHUNKS_AT_ONCE);
        }
        return live;
    }
}
