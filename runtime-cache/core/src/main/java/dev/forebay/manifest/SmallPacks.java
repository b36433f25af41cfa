package dev.forebay.manifest;

import dev.forebay.model.PackId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Bounds the packs that a dataset gathers as it changes: each version brings its new objects in a
 * pack of their own, and keeps the packs of the version before as long as anything in them lives.
 *
 * <p>A pack is small if its live bytes would fill less than half of a new one. Of more than {@link
 * #MOST} small ones the {@link #KEPT} fullest stay, and what lies in the others is laid anew, into
 * the new version's packs. So a version has at most 64 small packs beside its own, for an object
 * that is brought again about once in 48 versions that add a pack, and less often the fuller the
 * packs get: size-tiered merging, as of log-structured merge trees (O'Neil et al., 1996).
 */
final class SmallPacks {

    static final int MOST = 64;
    static final int KEPT = 16;

    private static final int CHUNKS_AT_ONCE = 10_000;

    private SmallPacks() {}

    /**
     * The packs whose objects are laid anew in the version after this one. It depends on nothing
     * but the arguments.
     *
     * @param packBytes how large a new pack may become
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
