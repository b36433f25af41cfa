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
 * What is done with packs while nobody reads them: what no version has any more is given up, what
 * is damaged is mended. Safe for use by many threads.
 */
final class PackUpkeep {

    private final PackFiles files;
    private final LivePages live;
    private final PieceFetcher fetcher;
    private final CacheCounters counters;

    PackUpkeep(PackFiles files, LivePages live, PieceFetcher fetcher, CacheCounters counters) {
        this.files = files;
        this.live = live;
        this.fetcher = fetcher;
        this.counters = counters;
    }

    /**
     * Gives up what no mounted version has.
     *
     * @param table asked for the mounted versions again and again: one may come back meanwhile, and
     *     must find either all that is here of it or nothing
     * @param packsOf the packs of one
     * @return false if there is more, in packs that are in use
     * @throws ForebayException if a manifest cannot be read; then nobody knows what the rest is for
     */
    boolean giveUpAllBut(Supplier<Set<Digest>> table, Function<Digest, Set<PackId>> packsOf)
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
                all &= use == null || giveUpAllBut(table, mounted, versions, use.file());
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
     * @param versions those of the mounted ones that have the pack
     */
    private boolean giveUpAllBut(
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
     * Compares what is here of a chunk with its checksums, drops what is wrong, and fetches it anew
     * for the versions that have it. The loss stays a loss: the kernel may have pages of a native
     * view that were read before.
     *
     * @param versions asked for those that are mounted and have the pack, if something is wrong
     * @return the bytes that were compared
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
            long from = chunk.start() + (long) block * Sizes.BLOCK;
            long to = Math.min(from + Sizes.BLOCK, file.bytes());
            for (Digest version : versions) {
                try {
                    boolean _ = fetcher.bring(new Piece(version, file, from, to, live));
                } catch (ForebayException e) {
                    // What others have there may be had.
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
