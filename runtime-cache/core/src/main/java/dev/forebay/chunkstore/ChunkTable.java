package dev.forebay.chunkstore;

import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Records which chunks are on a disk, by pack and by slot.
 *
 * <p>Designed for millions of chunks: each one takes some 30 bytes in arrays, and a few more if it
 * is incomplete. Safe for use by many threads. Every call takes a few memory accesses, except those
 * that visit all packs or all chunks of a pack.
 */
final class ChunkTable {

    private static final int NONE = -1;
    private static final ValidBlocks WHOLE = ValidBlocks.all(ChunkId.CHUNK_BYTES);

    /** The slots of one pack's chunks: a hash table by chunk index, with linear probing. */
    private final class PackChunks {
        final PackId id;
        int[] slots = new int[2];
        int count;

        PackChunks(PackId id) {
            this.id = id;
            Arrays.fill(slots, NONE);
        }

        private int place(int index) {
            return ((index * 0x9e3779b9) >>> 1) & (slots.length - 1);
        }

        /**
         * Returns the position of a chunk's slot, or the free position where the slot may be put.
         */
        private int find(int index) {
            int at = place(index);
            while (slots[at] != NONE && indexes[slots[at]] != index) {
                at = (at + 1) & (slots.length - 1);
            }
            return at;
        }

        int get(int index) {
            return slots[find(index)];
        }

        void add(int slot) {
            if (3 * ++count > 2 * slots.length) {
                int[] before = slots;
                slots = new int[2 * before.length];
                Arrays.fill(slots, NONE);
                for (int each : before) {
                    if (each != NONE) {
                        slots[find(indexes[each])] = each;
                    }
                }
            }
            slots[find(indexes[slot])] = slot;
        }

        void remove(int index) {
            int at = find(index);
            slots[at] = NONE;
            count--;
            // Move up the entries that were put behind this one because its position was taken.
            for (int next = (at + 1) & (slots.length - 1);
                    slots[next] != NONE;
                    next = (next + 1) & (slots.length - 1)) {
                int moved = slots[next];
                slots[next] = NONE;
                slots[find(indexes[moved])] = moved;
            }
        }
    }

    private final Map<PackId, PackChunks> packs = new HashMap<>();

    // The following arrays are indexed by slot.
    private @Nullable PackChunks[] packOf = new PackChunks[16];
    // Null for a complete chunk of 8 MiB, as nearly all are.
    private @Nullable ValidBlocks[] valid = new ValidBlocks[16];
    private int[] indexes = new int[16];
    private int[] files = new int[16];

    private int slots;
    // The first free slot. Each free slot names the next one in its index.
    private int free = NONE;
    private int lastFile;
    private long size;

    synchronized @Nullable ChunkEntry get(ChunkId id) {
        PackChunks pack = packs.get(id.pack());
        int slot = pack == null ? NONE : pack.get(id.index());
        return slot == NONE ? null : entry(slot, id);
    }

    private ChunkEntry entry(int slot, ChunkId id) {
        ValidBlocks known = valid[slot];
        return new ChunkEntry(id, known == null ? WHOLE : known, slot, files[slot]);
    }

    /** Returns the chunk that has a slot. */
    synchronized ChunkId at(int slot) {
        return new ChunkId(pack(slot), indexes[slot]);
    }

    /** Returns the pack whose chunk has a slot. */
    synchronized PackId pack(int slot) {
        PackChunks pack = packOf[slot];
        if (pack == null) {
            throw new IllegalArgumentException("no chunk has slot " + slot);
        }
        return pack.id;
    }

    /** Adds a chunk, or records that it has another file. A known chunk keeps its slot. */
    synchronized ChunkEntry put(ChunkId id, ValidBlocks blocks) {
        PackChunks pack = packs.computeIfAbsent(id.pack(), PackChunks::new);
        int slot = pack.get(id.index());
        if (slot == NONE) {
            slot = freeSlot();
            packOf[slot] = pack;
            indexes[slot] = id.index();
            pack.add(slot);
            size++;
        }
        files[slot] = ++lastFile;
        valid[slot] = isWhole(blocks) ? null : blocks;
        return entry(slot, id);
    }

    private static boolean isWhole(ValidBlocks blocks) {
        return blocks.complete() && blocks.chunkBytes() == ChunkId.CHUNK_BYTES;
    }

    private int freeSlot() {
        if (free != NONE) {
            int slot = free;
            free = indexes[slot];
            return slot;
        }
        if (slots == indexes.length) {
            int more = slots + (slots >> 1);
            packOf = Arrays.copyOf(packOf, more);
            valid = Arrays.copyOf(valid, more);
            indexes = Arrays.copyOf(indexes, more);
            files = Arrays.copyOf(files, more);
        }
        return slots++;
    }

    /** Records the valid blocks from a chunk's footer, if the chunk still has this file. */
    synchronized ChunkEntry read(ChunkEntry entry, ValidBlocks blocks) {
        if (isCurrent(entry)) {
            valid[entry.slot()] = blocks;
        }
        return new ChunkEntry(entry.id(), blocks, entry.slot(), entry.file());
    }

    private boolean isCurrent(ChunkEntry entry) {
        return packOf[entry.slot()] != null && files[entry.slot()] == entry.file();
    }

    /** Removes exactly this entry. Returns whether it was current. */
    synchronized boolean remove(ChunkEntry entry) {
        int slot = entry.slot();
        PackChunks pack = packOf[slot];
        if (pack == null || !isCurrent(entry)) {
            return false;
        }
        pack.remove(entry.id().index());
        if (pack.count == 0) {
            packs.remove(pack.id);
        }
        packOf[slot] = null;
        valid[slot] = null;
        indexes[slot] = free;
        free = slot;
        size--;
        return true;
    }

    synchronized long size() {
        return size;
    }

    synchronized boolean hasPack(PackId pack) {
        return packs.containsKey(pack);
    }

    synchronized List<PackId> packs() {
        return List.copyOf(packs.keySet());
    }

    /**
     * Returns whether all packs match. Makes no copy, because every eviction calls it.
     *
     * @param rule must be quick: it runs under the lock
     */
    synchronized boolean allPacks(Predicate<PackId> rule) {
        return packs.keySet().stream().allMatch(rule);
    }

    /** Returns the chunks of a pack, sorted by index. */
    synchronized List<ChunkId> chunks(PackId id) {
        PackChunks pack = packs.get(id);
        if (pack == null) {
            return List.of();
        }
        IntFunction<ChunkId> chunk = index -> new ChunkId(pack.id, index);
        return Arrays.stream(pack.slots)
                .filter(slot -> slot != NONE)
                .map(slot -> indexes[slot])
                .sorted()
                .mapToObj(chunk)
                .toList();
    }

    /** Returns an estimate of the disk space, in bytes, that the chunks of a pack occupy. */
    synchronized long footprint(PackId id) {
        PackChunks pack = packs.get(id);
        if (pack == null) {
            return 0;
        }
        long sum = 0;
        for (int slot : pack.slots) {
            if (slot != NONE) {
                ValidBlocks known = valid[slot];
                sum +=
                        ChunkEntry.footprint(
                                known == null ? ChunkId.CHUNK_BYTES : known.chunkBytes());
            }
        }
        return sum;
    }
}
