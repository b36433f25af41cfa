package dev.forebay.chunkstore;

import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Which chunks there are, by pack. Reads are safe at any time; changes are the store's, one at a
 * time.
 */
final class ChunkIndex {

    private final Map<PackId, Map<Integer, ChunkEntry>> packs = new ConcurrentHashMap<>();
    private final AtomicLong chunks = new AtomicLong();

    @Nullable ChunkEntry get(ChunkId id) {
        Map<Integer, ChunkEntry> pack = packs.get(id.pack());
        return pack == null ? null : pack.get(id.index());
    }

    /** Returns what was there before. */
    @Nullable ChunkEntry put(ChunkEntry entry) {
        ChunkId id = entry.id();
        ChunkEntry before =
                packs.computeIfAbsent(id.pack(), pack -> new ConcurrentHashMap<>(4))
                        .put(id.index(), entry);
        if (before == null) {
            chunks.incrementAndGet();
        }
        return before;
    }

    /** Removes exactly this entry; returns whether it was there. */
    boolean remove(ChunkEntry entry) {
        Map<Integer, ChunkEntry> pack = packs.get(entry.id().pack());
        if (pack == null || !pack.remove(entry.id().index(), entry)) {
            return false;
        }
        chunks.decrementAndGet();
        if (pack.isEmpty()) {
            packs.remove(entry.id().pack());
        }
        return true;
    }

    long size() {
        return chunks.get();
    }

    boolean hasPack(PackId pack) {
        return packs.containsKey(pack);
    }

    List<PackId> packs() {
        return List.copyOf(packs.keySet());
    }

    List<ChunkEntry> chunks(PackId pack) {
        return List.copyOf(packs.getOrDefault(pack, Map.of()).values());
    }
}
