package dev.forebay.chunkstore;

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
 * Which chunks there are on a disk, by pack and by slot.
 *
 * <p>Made for millions: a chunk is a place in arrays, some 30 bytes, and a few more if it is not
 * complete. Safe for use by many threads; no call does more than some memory accesses, but for
 * those that list.
 */
final class ChunkTable {

    private static final int NONE = -1;
    private static final ValidBlocks WHOLE = ValidBlocks.all(ChunkId.CHUNK_BYTES);

    /** The chunks of one pack: slots in a hash table by index, with linear probing. */
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

        /** Where the slot of a chunk is, or may be put. */
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
            // What was put behind it because of it moves up.
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

    // By slot.
    private @Nullable PackChunks[] packOf = new PackChunks[16];
    // Null for a complete chunk of 8 MiB, which nearly all are.
    private @Nullable ValidBlocks[] valid = new ValidBlocks[16];
    private int[] indexes = new int[16];
    private int[] files = new int[16];

    private int slots;
    // Slots that are free again, each naming the next in its index.
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

    /** The chunk that has a slot. */
    synchronized ChunkId at(int slot) {
        return new ChunkId(pack(slot), indexes[slot]);
    }

    /** The pack whose chunk has a slot. */
    synchronized PackId pack(int slot) {
        PackChunks pack = packOf[slot];
        if (pack == null) {
            throw new IllegalArgumentException("no chunk has slot " + slot);
        }
        return pack.id;
    }

    /** Enters a chunk, or that it has another file; it keeps its slot. */
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

    /** Enters what a chunk's footer says, if it still has this file. */
    synchronized ChunkEntry read(ChunkEntry entry, ValidBlocks blocks) {
        if (isCurrent(entry)) {
            valid[entry.slot()] = blocks;
        }
        return new ChunkEntry(entry.id(), blocks, entry.slot(), entry.file());
    }

    private boolean isCurrent(ChunkEntry entry) {
        return packOf[entry.slot()] != null && files[entry.slot()] == entry.file();
    }

    /** Removes exactly this entry; returns whether it was there. */
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
     * Whether all packs are such ones. Copies none: it is asked at each eviction.
     *
     * @param rule quick
     */
    synchronized boolean allPacks(Predicate<PackId> rule) {
        return packs.keySet().stream().allMatch(rule);
    }

    /** The chunks of a pack, by index. */
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

    /** What the chunks of a pack are reckoned to occupy. */
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
