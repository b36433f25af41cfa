package dev.forebay.fuse.nodecache;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Maintains packs in the background: removes pages that no version has any more, and repairs
 * damage. Thread-safe.
 */
final class PackMaintenance {

    private final PackFiles files;
    private final LivePages live;
    private final PieceFetcher fetcher;
    private final CacheCounters counters;

    PackMaintenance(PackFiles files, LivePages live, PieceFetcher fetcher, CacheCounters counters) {
        this.files = files;
        this.live = live;
        this.fetcher = fetcher;
        this.counters = counters;
    }

    /**
     * Removes pages that no mounted version has.
     *
     * @param table returns the mounted versions; called repeatedly, because a version may be
     *     mounted again meanwhile, and must find all its cached pages or none
     * @param packsOf returns the packs of a version
     * @return false if more pages remain, in packs that are in use
     * @throws ForebayException if a manifest cannot be read; it is then unknown which pages are
     *     needed
     */
    boolean keepOnly(Supplier<Set<Digest>> table, Function<Digest, Set<PackId>> packsOf)
            throws IOException {
        boolean all = true;
        Set<Digest> indexed = Set.of();
        Map<PackId, List<Digest>> versionsOf = Map.of();
        for (PackId pack : files.all()) {
            Set<Digest> mounted = table.get();
            if (!mounted.equals(indexed)) {
                versionsOf = byPack(mounted, packsOf);
                indexed = mounted;
            }
            List<Digest> versions = versionsOf.getOrDefault(pack, List.of());
            try (PackFiles.Use use = files.find(pack).orElse(null)) {
                all &= use == null || keepOnly(table, mounted, versions, use.file());
            }
            if (versions.isEmpty()) {
                files.discard(pack);
            }
        }
        return all;
    }

    private static Map<PackId, List<Digest>> byPack(
            Set<Digest> versions, Function<Digest, Set<PackId>> packsOf) {
        Map<PackId, List<Digest>> byPack = new HashMap<>();
        for (Digest version : versions) {
            for (PackId pack : packsOf.apply(version)) {
                byPack.computeIfAbsent(pack, _ -> new ArrayList<>()).add(version);
            }
        }
        return byPack;
    }

    /**
     * @param versions the mounted versions that have the pack
     */
    private boolean keepOnly(
            Supplier<Set<Digest>> table, Set<Digest> mounted, List<Digest> versions, PackFile file)
            throws IOException {
        boolean all = true;
        CachedChunks chunks = file.chunks();
        for (int index = 0; index < chunks.count(); index++) {
            if (!chunks.isEmpty(index)) {
                BitSet wanted = new BitSet();
                for (Digest version : versions) {
                    wanted.or(live.of(version, new ChunkId(file.id(), index)));
                }
                counters.deadBytes.add(file.evictor().restrict(index, wanted, mounted, table));
                all &= !chunks.hasOthers(index, wanted);
            }
        }
        return all;
    }

    /**
     * Verifies the cached pages of a chunk, drops damaged blocks, and fetches them again for the
     * versions that have them. The damage still counts as a loss, because the kernel may have
     * cached damaged pages of a native view.
     *
     * @param versions returns the mounted versions that have the pack; called if there is damage
     * @return the number of verified bytes
     */
    long scrub(PackFile file, ChunkId chunk, Function<PackId, List<Digest>> versions)
            throws IOException {
        long compared = file.chunks().bytesHere(chunk.index());
        BitSet dropped = file.reader().scrub(chunk.index());
        counters.scrubbedBytes.add(compared);
        if (!dropped.isEmpty()) {
            mend(file, chunk, dropped, versions.apply(file.id()));
        }
        return compared;
    }

    private void mend(PackFile file, ChunkId chunk, BitSet dropped, List<Digest> versions)
            throws IOException {
        ForebayException failure = null;
        for (int block = dropped.nextSetBit(0); block >= 0; ) {
            long from = chunk.start() + (long) block * PackUnits.BLOCK;
            long to = Math.min(from + PackUnits.BLOCK, file.bytes());
            for (Digest version : versions) {
                try {
                    boolean _ = fetcher.bring(new Piece(version, file, from, to, live));
                } catch (ForebayException e) {
                    // Other versions' pages there may be available.
                    failure = e;
                }
            }
            block = dropped.nextSetBit(block + 1);
        }
        if (failure != null) {
            throw failure;
        }
    }
}
