package dev.forebay.fuse.nodecache;

import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.fuse.read.PackSource;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.manifest.Pack;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Packs on the node's own disk, filled while they are read.
 *
 * <p>What is here is compared with its checksums when it is read here, if need be ({@link
 * CheckedReader}); what is not, or is not right, comes from the source, once however many ask, in
 * whole blocks of 64 KiB. If the disk is full, fails, or the bound leaves no room, bytes are passed
 * on and not kept: no read fails for that. Nor are those kept that a reader gets from the files of
 * a worker on this node; only a version that is brought here as a whole takes them along, without a
 * second copy if the file system can share extents. Safe for use by many threads.
 */
final class PackCache implements PackSource, AutoCloseable {

    private final PackFiles files;
    private final Space space;
    private final LocalChunks source;
    private final LivePages live;
    private final CacheCounters counters;
    private final FullDisk full;
    private final Disk disk;
    private final PieceFetcher fetcher;
    private final PackUpkeep upkeep;

    private PackCache(
            PackFiles files,
            Space space,
            LocalChunks source,
            boolean strict,
            LivePages live,
            CacheCounters counters,
            FullDisk full) {
        this.files = files;
        this.space = space;
        this.source = source;
        this.live = live;
        this.counters = counters;
        this.full = full;
        this.disk = new Disk(counters, full);
        this.fetcher = new PieceFetcher(source, space, strict, counters, full);
        this.upkeep = new PackUpkeep(files, live, fetcher, counters);
    }

    /**
     * Opens a cache with what is there.
     *
     * @param directory made if it is not there; for one process at a time
     * @param capacityBytes what packs and their maps may take on disk
     * @param strict whether bytes are compared with their checksums at each read, also parts of
     *     blocks
     * @param source where to get what is not here
     * @throws ForebayException with {@code UNAVAILABLE} if the directory cannot be used
     */
    static PackCache open(
            Path directory,
            long capacityBytes,
            boolean strict,
            LocalChunks source,
            LivePages live) {
        CacheCounters counters = new CacheCounters();
        Space space = new Space(capacityBytes, counters);
        try {
            PackFiles files =
                    PackFiles.open(directory, space, counters, new DamageLog(live::names));
            boolean _ = space.makeRoom();
            FullDisk full = new FullDisk(directory, space, counters, System::nanoTime);
            return new PackCache(files, space, source, strict, live, counters, full);
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "cannot open the node cache " + directory, e);
        }
    }

    CacheCounters counters() {
        return counters;
    }

    /** What packs and maps take on disk, in bytes. */
    long usedBytes() {
        return space.used();
    }

    /** What they may take. */
    long capacityBytes() {
        return space.capacity();
    }

    Disk disk() {
        return disk;
    }

    /** Whether the disk has not failed lately. */
    boolean diskIsUsable() {
        return disk.isUsable();
    }

    /** Gives up what is more than the bound, if there is any; false if that cannot be. */
    boolean makeRoom() {
        return disk.use(true, space::makeRoom);
    }

    @Override
    public void read(Digest manifest, PackId pack, long from, long to, ByteBuffer target) {
        for (long at = from; at < to; ) {
            long end = Math.min(to, (at / Sizes.PIECE + 1) * Sizes.PIECE);
            int length = (int) (end - at);
            ByteBuffer part = target.slice(target.position(), length);
            if (!readHere(manifest, pack, at, end, part)) {
                source.read(manifest, pack, at, end, part.clear());
            }
            target.position(target.position() + length);
            at = end;
        }
    }

    /** Reads a range within one piece, if it is here or can be brought here. */
    private boolean readHere(Digest manifest, PackId pack, long from, long to, ByteBuffer target) {
        return disk.use(
                false,
                () -> {
                    try (PackFiles.Use file = known(manifest, pack).orElse(null)) {
                        Optional<Piece> piece =
                                file == null
                                        ? Optional.empty()
                                        : piece(manifest, file.file(), from, to);
                        return piece.isPresent() && fetcher.read(piece.get(), target);
                    }
                });
    }

    /**
     * @throws ForebayException if it is not there, and the version is not known here
     */
    private PackFiles.Use file(Digest manifest, PackId pack) throws IOException {
        Optional<PackFiles.Use> known = files.find(pack);
        return known.isPresent() ? known.get() : files.get(pack, live.packBytes(manifest, pack));
    }

    /**
     * Empty if the version is not known here, so that the source says so, or if there is no room
     * for the pack's files.
     */
    private Optional<PackFiles.Use> known(Digest manifest, PackId pack) throws IOException {
        try {
            return Optional.of(file(manifest, pack));
        } catch (ForebayException e) {
            return Optional.empty();
        } catch (IOException e) {
            if (!ErrorNumber.isFullDisk(e)) {
                throw e;
            }
            full.refused(e);
            boolean _ = space.evictOne();
            return Optional.empty();
        }
    }

    private Optional<Piece> piece(Digest manifest, PackFile file, long from, long to) {
        try {
            return Optional.of(new Piece(manifest, file, from, to, live));
        } catch (ForebayException e) {
            return Optional.empty();
        }
    }

    /** Whether a range within one chunk is known to be here; fetches nothing to find out. */
    boolean has(Digest manifest, PackId pack, long from, long to) {
        try (PackFiles.Use file = files.find(pack).orElse(null)) {
            return file != null
                    && disk.isUsable()
                    && live.areAtHand(manifest, ChunkId.at(pack, from))
                    && piece(manifest, file.file(), from, to).map(Piece::isHere).orElse(false);
        }
    }

    /** Has the kernel read bytes that are here into the page cache. */
    void willRead(PackId pack, long from, long to) {
        disk.use(
                false,
                () -> {
                    try (PackFiles.Use file = files.find(pack).orElse(null)) {
                        if (file != null) {
                            file.file().willRead(from, to);
                        }
                    }
                    return true;
                });
    }

    /**
     * Brings all that a version has in a chunk, and compares what was there before with its
     * checksums if it was not since the start.
     *
     * @param pace waited for before each piece that has to be fetched
     * @return false if it cannot be kept
     * @throws ForebayException if it cannot be had
     */
    boolean complete(Digest manifest, ChunkId chunk, Pace pace) throws InterruptedException {
        return disk.use(
                false,
                () -> {
                    try (PackFiles.Use file = file(manifest, chunk.pack())) {
                        return complete(manifest, chunk, file.file(), pace);
                    }
                });
    }

    private boolean complete(Digest manifest, ChunkId chunk, PackFile file, Pace pace)
            throws IOException, InterruptedException {
        file.reader().prove(chunk.index());
        long end = Math.min(chunk.start() + Sizes.CHUNK, file.bytes());
        for (long from = chunk.start(); from < end; from += Sizes.PIECE) {
            long to = Math.min(from + Sizes.PIECE, end);
            Piece piece = new Piece(manifest, file, from, to, live);
            if (!piece.isHere()) {
                pace.await(piece.bytes());
                if (!fetcher.bring(piece)) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * From now on until what is returned is closed nothing that a version has here is given up.
     * Close it before the cache.
     */
    HeldPacks hold(Digest manifest, List<Pack> packs) {
        List<PackFiles.Use> used = new ArrayList<>();
        try {
            for (Pack pack : packs) {
                used.add(files.get(pack.id(), pack.bytes()));
            }
            return new HeldPacks(manifest, used.stream().map(PackFiles.Use::file).toList());
        } catch (IOException e) {
            disk.failed(e);
            throw new ForebayException(ErrorCode.UNAVAILABLE, "cannot make files of packs", e);
        } finally {
            used.forEach(PackFiles.Use::close);
        }
    }

    /**
     * Gives up what no mounted version has.
     *
     * @param table asked for the mounted versions again and again
     * @param packsOf the packs of one
     * @return false if there is more, in packs that are in use, or the disk is left alone just now
     * @throws ForebayException if a manifest cannot be read; then nobody knows what the rest is for
     */
    boolean giveUpAllBut(Supplier<Set<Digest>> table, Function<Digest, Set<PackId>> packsOf) {
        return disk.use(false, () -> upkeep.giveUpAllBut(table, packsOf));
    }

    /**
     * Whether something that an earlier process had here of these packs was given up or found
     * wrong, be it all of one of them.
     */
    boolean haveLostSome(Set<PackId> packs) {
        return packs.stream().anyMatch(this::hasLostSome);
    }

    private boolean hasLostSome(PackId pack) {
        try (PackFiles.Use file = files.find(pack).orElse(null)) {
            return file == null || !file.file().isInherited() || file.file().holds().losses() > 0;
        }
    }

    /** How often something that was here of these packs was found wrong. */
    long timesFoundWrong(Set<PackId> packs) {
        return packs.stream().mapToLong(this::timesFoundWrong).sum();
    }

    private long timesFoundWrong(PackId pack) {
        try (PackFiles.Use file = files.find(pack).orElse(null)) {
            return file == null ? 0 : file.file().holds().foundWrong().times();
        }
    }

    /** The packs that are marked by {@link FoundWrong}, and how often something was. */
    Map<PackId, Long> harmed() {
        Map<PackId, Long> harmed = new HashMap<>();
        for (PackId pack : files.all()) {
            try (PackFiles.Use file = files.find(pack).orElse(null)) {
                if (file != null && file.file().holds().foundWrong().isMarked()) {
                    harmed.put(pack, file.file().holds().foundWrong().times());
                }
            }
        }
        return harmed;
    }

    /** Says that no view is left that was there when {@link #harmed} was asked. */
    void viewsAreRenewed(Map<PackId, Long> harmedThen) {
        disk.use(
                false,
                () -> {
                    for (Map.Entry<PackId, Long> each : harmedThen.entrySet()) {
                        viewsAreRenewed(each.getKey(), each.getValue());
                    }
                    return true;
                });
    }

    private void viewsAreRenewed(PackId pack, long timesThen) throws IOException {
        try (PackFiles.Use file = files.find(pack).orElse(null)) {
            if (file != null) {
                file.file().holds().foundWrong().viewsAreRenewed(timesThen);
            }
        }
    }

    /** The packs of which something may be here. */
    List<PackId> packs() {
        return files.all();
    }

    /** How many chunks a pack has; 0 if nothing of it is here. */
    int chunks(PackId pack) {
        try (PackFiles.Use file = files.find(pack).orElse(null)) {
            return file == null ? 0 : file.file().chunks().count();
        }
    }

    /**
     * Compares what is here of a chunk with its checksums, drops what is wrong, and fetches it anew
     * for the versions that have it.
     *
     * @param versions asked for those that are mounted and have the pack, if something is wrong
     * @return the bytes that were compared
     */
    long scrub(ChunkId chunk, Function<PackId, List<Digest>> versions) {
        try (PackFiles.Use file = files.find(chunk.pack()).orElse(null)) {
            return file == null || file.file().chunks().isEmpty(chunk.index())
                    ? 0
                    : disk.use(0L, () -> upkeep.scrub(file.file(), chunk, versions));
        }
    }

    /**
     * Ends the use of the files, except by reads that do not end themselves within seconds. If the
     * disk is not usable, or is found not to be meanwhile, it is not waited for: then the files are
     * left as after a kill.
     */
    @Override
    public void close() {
        if (disk.endUse() && disk.isUsable()) {
            disk.await("node-cache-end", files::close);
        }
    }
}
