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
 * A cache of packs on the node's own disk, filled by reads.
 *
 * <p>Cached bytes are verified when necessary ({@link CheckedReader}). Missing or damaged bytes are
 * fetched from the source in whole blocks of 64 KiB, once for all readers. If the disk is full,
 * fails, or the capacity is exhausted, bytes are passed on without being stored: no read fails for
 * that. Bytes from the files of a worker on this node are not stored by reads either. Only
 * prewarming stores them, without a second copy if the file system can share extents. Thread-safe.
 */
final class PackCache implements PackSource, AutoCloseable {

    private final PackFiles files;
    private final CacheCapacity space;
    private final LocalChunks source;
    private final LivePages live;
    private final CacheCounters counters;
    private final FullDisk full;
    private final Disk disk;
    private final PieceFetcher fetcher;
    private final PackMaintenance upkeep;

    private PackCache(
            PackFiles files,
            CacheCapacity space,
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
        this.upkeep = new PackMaintenance(files, live, fetcher, counters);
    }

    /**
     * Opens a cache with its existing content.
     *
     * @param directory created if it does not exist; for one process at a time
     * @param capacityBytes the bytes that packs and their maps may take on disk
     * @param strict whether each read is verified, including partly read blocks
     * @param source the source of missing bytes
     * @throws ForebayException {@code UNAVAILABLE} if the directory cannot be used
     */
    static PackCache open(
            Path directory,
            long capacityBytes,
            boolean strict,
            LocalChunks source,
            LivePages live) {
        CacheCounters counters = new CacheCounters();
        CacheCapacity space = new CacheCapacity(capacityBytes, counters);
        try {
            PackFiles files =
                    PackFiles.open(directory, space, counters, new DamageLog(live::names));
            boolean _ = space.freeSpace();
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

    /** Returns the bytes that packs and maps take on disk. */
    long usedBytes() {
        return space.used();
    }

    /** Returns the maximum number of bytes that they may take. */
    long capacityBytes() {
        return space.capacity();
    }

    Disk disk() {
        return disk;
    }

    /** Returns whether the disk has not failed recently. */
    boolean diskIsUsable() {
        return disk.isUsable();
    }

    /** Evicts down to the capacity; returns false if that is impossible. */
    boolean freeSpace() {
        return disk.use(true, space::freeSpace);
    }

    @Override
    public void read(Digest manifest, PackId pack, long from, long to, ByteBuffer target) {
        for (long at = from; at < to; ) {
            long end = Math.min(to, (at / PackUnits.PIECE + 1) * PackUnits.PIECE);
            int length = (int) (end - at);
            ByteBuffer part = target.slice(target.position(), length);
            if (!readHere(manifest, pack, at, end, part)) {
                source.read(manifest, pack, at, end, part.clear());
            }
            target.position(target.position() + length);
            at = end;
        }
    }

    /** Reads a range within one piece if it is cached or can be cached. */
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
     * @throws ForebayException if the pack has no files here and the version is not mounted
     */
    private PackFiles.Use file(Digest manifest, PackId pack) throws IOException {
        Optional<PackFiles.Use> known = files.find(pack);
        return known.isPresent() ? known.get() : files.get(pack, live.packBytes(manifest, pack));
    }

    /**
     * Returns empty if the version is not mounted, so that the source reports it, or if there is no
     * space for the pack's files.
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

    /**
     * Returns whether a range within one chunk is known to be cached. Fetches nothing to decide it.
     */
    boolean has(Digest manifest, PackId pack, long from, long to) {
        try (PackFiles.Use file = files.find(pack).orElse(null)) {
            return file != null
                    && disk.isUsable()
                    && live.areAtHand(manifest, ChunkId.at(pack, from))
                    && piece(manifest, file.file(), from, to).map(Piece::isHere).orElse(false);
        }
    }

    /** Makes the kernel read cached bytes into the page cache. */
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
     * Caches all pages of a version in a chunk, and verifies its cached pages if that was not done
     * before.
     *
     * @param pace limits the rate of fetched pieces
     * @return false if they cannot be stored
     * @throws ForebayException if they cannot be fetched
     */
    boolean complete(Digest manifest, ChunkId chunk, ByteRateLimit pace)
            throws InterruptedException {
        return disk.use(
                false,
                () -> {
                    try (PackFiles.Use file = file(manifest, chunk.pack())) {
                        return complete(manifest, chunk, file.file(), pace);
                    }
                });
    }

    private boolean complete(Digest manifest, ChunkId chunk, PackFile file, ByteRateLimit pace)
            throws IOException, InterruptedException {
        file.reader().prove(chunk.index());
        long end = Math.min(chunk.start() + PackUnits.CHUNK, file.bytes());
        for (long from = chunk.start(); from < end; from += PackUnits.PIECE) {
            long to = Math.min(from + PackUnits.PIECE, end);
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
     * Protects all cached pages of a version from removal until the result is closed. Close it
     * before the cache.
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
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "cannot create the files of a pack", e);
        } finally {
            used.forEach(PackFiles.Use::close);
        }
    }

    /**
     * Removes pages that no mounted version has.
     *
     * @param table returns the mounted versions; called repeatedly
     * @param packsOf returns the packs of a version
     * @return false if more pages remain, in packs that are in use, or because the disk is skipped
     *     now
     * @throws ForebayException if a manifest cannot be read; it is then unknown which pages are
     *     needed
     */
    boolean keepOnly(Supplier<Set<Digest>> table, Function<Digest, Set<PackId>> packsOf) {
        return disk.use(false, () -> upkeep.keepOnly(table, packsOf));
    }

    /**
     * Returns whether any of these packs lost pages, by removal or damage, that an earlier process
     * had cached. A pack that is missing or was created by this process counts as lost.
     */
    boolean haveLostSome(Set<PackId> packs) {
        return packs.stream().anyMatch(this::hasLostSome);
    }

    private boolean hasLostSome(PackId pack) {
        try (PackFiles.Use file = files.find(pack).orElse(null)) {
            return file == null || !file.file().isInherited() || file.file().holds().losses() > 0;
        }
    }

    /** Returns how often damage was found in these packs. */
    long timesFoundWrong(Set<PackId> packs) {
        return packs.stream().mapToLong(this::timesFoundWrong).sum();
    }

    private long timesFoundWrong(PackId pack) {
        try (PackFiles.Use file = files.find(pack).orElse(null)) {
            return file == null ? 0 : file.file().holds().foundWrong().times();
        }
    }

    /** Returns the packs that {@link DamageMark} has marked, with their damage counts. */
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

    /** Records that all views from before the call of {@link #harmed} have been replaced. */
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

    /** Returns the packs that may have cached pages. */
    List<PackId> packs() {
        return files.all();
    }

    /** Returns the number of chunks of a pack, or 0 if it has no files here. */
    int chunks(PackId pack) {
        try (PackFiles.Use file = files.find(pack).orElse(null)) {
            return file == null ? 0 : file.file().chunks().count();
        }
    }

    /**
     * Verifies the cached pages of a chunk, drops damaged blocks, and fetches them again for the
     * versions that have them.
     *
     * @param versions returns the mounted versions that have the pack; called if there is damage
     * @return the number of verified bytes
     */
    long scrub(ChunkId chunk, Function<PackId, List<Digest>> versions) {
        try (PackFiles.Use file = files.find(chunk.pack()).orElse(null)) {
            return file == null || file.file().chunks().isEmpty(chunk.index())
                    ? 0
                    : disk.use(0L, () -> upkeep.scrub(file.file(), chunk, versions));
        }
    }

    /**
     * Closes the files when all reads have ended, which is awaited for seconds. If the disk is or
     * becomes unusable, it is not awaited: the files are then left as after a kill.
     */
    @Override
    public void close() {
        if (disk.endUse() && disk.isUsable()) {
            disk.await("node-cache-end", files::close);
        }
    }
}
