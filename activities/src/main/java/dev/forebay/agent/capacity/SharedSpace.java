package dev.forebay.agent.capacity;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ManifestRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The space of several versions, divided by the versions that share it. All sizes are in bytes.
 *
 * @param versions the versions
 * @param parts the space of chunks that exactly the same versions own, the largest first; together
 *     the parts are the space of all versions
 * @param whole the space of each version, in the order of {@code versions}
 * @param alone the part of that space that no other version shares
 */
record SharedSpace(
        List<ManifestRef> versions, List<Part> parts, List<Long> whole, List<Long> alone) {

    /**
     * A dataset that grows has about two parts for each version. Beyond this limit the smallest
     * parts count as owned by all versions. The expected gain of an eviction is then too small,
     * never too large.
     */
    private static final int MOST_PARTS = 1024;

    private static final int PAGE = 1024;

    /** An estimate of the objects around the bits of a part. */
    private static final int PART_HEAP_BYTES = 100;

    /** An estimate of two sizes, and entries in the list and in the key set. */
    private static final int VERSION_HEAP_BYTES = 100;

    /**
     * The bytes of all chunks that the same versions own. They stay while one of these versions
     * does.
     *
     * @param owners indexes into {@link #versions}
     */
    record Part(BitSet owners, long bytes) {}

    /** Returns the space of a version alone, with a known size. */
    static SharedSpace single(ManifestRef version, long bytes) {
        return new SharedSpace(
                List.of(version),
                List.of(new Part(first(1), bytes)),
                List.of(bytes),
                List.of(bytes));
    }

    /**
     * Reads each manifest's chunks once.
     *
     * @throws dev.forebay.model.ForebayException as {@link ManifestCache#open}
     */
    static SharedSpace read(Collection<ManifestRef> versions, ManifestCache manifests) {
        Reading reading = new Reading();
        List<ManifestRef> all = List.copyOf(versions);
        for (int i = 0; i < all.size(); i++) {
            reading.begin(i);
            try (CachedManifest manifest = manifests.open(all.get(i))) {
                for (long from = 0; from < manifest.chunkCount(); from += PAGE) {
                    for (ChunkRef chunk : manifest.chunks(from, PAGE)) {
                        reading.add(chunk);
                    }
                }
            }
        }
        return reading.result(all);
    }

    /** Returns the space of all versions together. */
    long bytes() {
        return parts.stream().mapToLong(Part::bytes).sum();
    }

    /** Returns the space of this version that no other version shares. */
    long alone(ManifestRef version) {
        return alone.get(versions.indexOf(version));
    }

    /** Returns an estimate of its heap in bytes, mostly one bit for each version and part. */
    long heapBytes() {
        return (long) parts.size() * (PART_HEAP_BYTES + versions.size() / Byte.SIZE)
                + (long) versions.size() * VERSION_HEAP_BYTES;
    }

    private static BitSet first(int versions) {
        BitSet all = new BitSet(versions);
        all.set(0, versions);
        return all;
    }

    /**
     * Returns at most {@code most} parts, and one more with the rest.
     *
     * @param parts the largest first
     * @param versions the number of versions
     */
    static List<Part> bounded(List<Part> parts, int versions, int most) {
        if (parts.size() <= most) {
            return List.copyOf(parts);
        }
        long rest = parts.subList(most, parts.size()).stream().mapToLong(Part::bytes).sum();
        return Stream.concat(parts.stream().limit(most), Stream.of(new Part(first(versions), rest)))
                .toList();
    }

    /** Sorts chunks by their owners. Each new owner moves a chunk from one set to a larger one. */
    private static final class Reading {
        private static final int NO_SET = -1;

        private final Map<ChunkId, Integer> setOf = new HashMap<>();
        // Maps a set to the set that also has the present owner.
        private final Map<Integer, Integer> larger = new HashMap<>();
        private final List<BitSet> sets = new ArrayList<>();
        private final List<Long> bytes = new ArrayList<>();
        private int owner;

        void begin(int next) {
            owner = next;
            larger.clear();
        }

        void add(ChunkRef chunk) {
            int before = setOf.getOrDefault(chunk.chunk(), NO_SET);
            int set = larger.computeIfAbsent(before, this::withOwner);
            if (before != NO_SET) {
                bytes.set(before, bytes.get(before) - chunk.spaceBytes());
            }
            bytes.set(set, bytes.get(set) + chunk.spaceBytes());
            setOf.put(chunk.chunk(), set);
        }

        private int withOwner(int before) {
            BitSet owners = before == NO_SET ? new BitSet() : (BitSet) sets.get(before).clone();
            owners.set(owner);
            sets.add(owners);
            bytes.add(0L);
            return sets.size() - 1;
        }

        SharedSpace result(List<ManifestRef> versions) {
            long[] whole = new long[versions.size()];
            long[] alone = new long[versions.size()];
            List<Part> parts = new ArrayList<>();
            for (int i = 0; i < sets.size(); i++) {
                long chunkBytes = bytes.get(i);
                if (chunkBytes > 0) {
                    BitSet owners = sets.get(i);
                    owners.stream().forEach(each -> whole[each] += chunkBytes);
                    if (owners.cardinality() == 1) {
                        alone[owners.nextSetBit(0)] += chunkBytes;
                    }
                    parts.add(new Part(owners, chunkBytes));
                }
            }
            parts.sort(Comparator.comparingLong(Part::bytes).reversed());
            return new SharedSpace(
                    versions,
                    bounded(parts, versions.size(), MOST_PARTS),
                    listOf(whole),
                    listOf(alone));
        }

        private static List<Long> listOf(long[] values) {
            return Arrays.stream(values).boxed().toList();
        }
    }
}
