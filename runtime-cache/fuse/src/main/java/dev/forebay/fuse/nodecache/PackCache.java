package dev.forebay.fuse.nodecache;

import dev.forebay.chunkstore.StoredChunk;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.fuse.read.PackSource;
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
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Packs on the node's own disk, filled while they are read.
 *
 * <p>What is here is compared with its checksums whenever it is read here; what is not, or is not
 * right, comes from the source, once however many ask, in whole blocks of 64 KiB. If the disk is
 * full, fails, or the bound leaves no room, bytes are passed on and not kept: no read fails for
 * that. Nor are those kept that a reader gets from the files of a worker on this node; only a
 * version that is brought here as a whole takes them along, without a second copy if the file
 * system can share extents. Safe for use by many threads.
 */
final class PackCache implements PackSource, AutoCloseable {

    /** How often to look again after somebody else brought something, before going alone. */
    private static final int ATTEMPTS = 8;

    private static final int MAX_USERS = Integer.MAX_VALUE;
    private static final long CLOSE_SECONDS = 5;

    private final PackFiles files;
    private final Space space;
    private final LocalChunks source;
    private final LivePages live;
    private final CacheCounters counters;
    private final Disk disk;
    private final Flights flights = new Flights();
    private final Buffers buffers = new Buffers(Sizes.PIECE);
    private final Semaphore users = new Semaphore(MAX_USERS);

    private PackCache(
            PackFiles files,
            Space space,
            LocalChunks source,
            LivePages live,
            CacheCounters counters) {
        this.files = files;
        this.space = space;
        this.source = source;
        this.live = live;
        this.counters = counters;
        this.disk = new Disk(counters);
    }

    /**
     * Opens a cache with what is there.
     *
     * @param directory made if it is not there; for one process at a time
     * @param capacityBytes what packs and their maps may take on disk
     * @param source where to get what is not here
     * @throws ForebayException with {@code UNAVAILABLE} if the directory cannot be used
     */
    static PackCache open(Path directory, long capacityBytes, LocalChunks source, LivePages live) {
        CacheCounters counters = new CacheCounters();
        Space space = new Space(capacityBytes, counters);
        try {
            PackFiles files = PackFiles.open(directory, space, counters);
            boolean _ = space.makeRoom();
            return new PackCache(files, space, source, live, counters);
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

    /** Whether the disk has not failed lately. */
    boolean diskIsUsable() {
        return disk.isUsable();
    }

    /** Gives up what is more than the bound, if there is any; false if that cannot be. */
    boolean makeRoom() {
        if (!disk.isUsable() || !users.tryAcquire()) {
            return true;
        }
        try {
            return space.makeRoom();
        } catch (IOException e) {
            disk.failed(e);
            return true;
        } finally {
            users.release();
        }
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

    /** Whether a range within one chunk is here. */
    boolean has(Digest manifest, PackId pack, long from, long to) {
        Optional<PackFile> file = files.find(pack);
        if (file.isEmpty() || !disk.isUsable()) {
            return false;
        }
        try {
            ChunkId chunk = ChunkId.at(pack, from);
            BitSet wanted = Sizes.pagesOf(from, to);
            wanted.and(live.of(manifest, chunk));
            return file.get().missing(chunk.index(), wanted).isEmpty();
        } catch (ForebayException notKnownHere) {
            return false;
        }
    }

    /** Has the kernel read bytes that are here into the page cache. */
    void willRead(PackId pack, long from, long to) {
        if (users.tryAcquire()) {
            try {
                files.find(pack).ifPresent(file -> file.willRead(from, to));
            } finally {
                users.release();
            }
        }
    }

    /** Reads a range within one piece, if it is here or can be brought here. */
    private boolean readHere(Digest manifest, PackId pack, long from, long to, ByteBuffer target) {
        if (!disk.isUsable() || !users.tryAcquire()) {
            return false;
        }
        try {
            PieceRead read;
            try {
                Optional<PackFile> known = files.find(pack);
                PackFile file =
                        known.isPresent()
                                ? known.get()
                                : files.get(pack, live.packBytes(manifest, pack));
                read = new PieceRead(manifest, file, from, to);
            } catch (ForebayException e) {
                // The version is not known here; let the source say so.
                return false;
            }
            return read.into(target);
        } catch (IOException e) {
            disk.failed(e);
            return false;
        } finally {
            users.release();
        }
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
        if (!disk.isUsable() || !users.tryAcquire()) {
            return false;
        }
        try {
            PackFile file = files.get(chunk.pack(), live.packBytes(manifest, chunk.pack()));
            file.prove(chunk.index());
            long end = Math.min(chunk.start() + Sizes.CHUNK, file.bytes());
            for (long from = chunk.start(); from < end; from += Sizes.PIECE) {
                long to = Math.min(from + Sizes.PIECE, end);
                PieceRead piece = new PieceRead(manifest, file, from, to);
                if (!piece.isHere()) {
                    pace.await(to - from);
                    if (!piece.bring()) {
                        return false;
                    }
                }
            }
            return true;
        } catch (IOException e) {
            disk.failed(e);
            return false;
        } finally {
            users.release();
        }
    }

    /**
     * From now on until what is returned is closed nothing that a version has here is given up.
     * Close it before the cache.
     */
    HeldPacks hold(Digest manifest, List<Pack> packs) {
        try {
            List<PackFile> held = new ArrayList<>();
            for (Pack pack : packs) {
                held.add(files.get(pack.id(), pack.bytes()));
            }
            return new HeldPacks(manifest, held);
        } catch (IOException e) {
            disk.failed(e);
            throw new ForebayException(ErrorCode.UNAVAILABLE, "cannot make files of packs", e);
        }
    }

    /**
     * Gives up what no mounted version has.
     *
     * @param mounted the mounted versions
     * @param packsOf the packs of one
     * @return false if there is more, in packs that are in use
     * @throws ForebayException if a manifest cannot be read; then nobody knows what the rest is for
     */
    boolean giveUpAllBut(Set<Digest> mounted, Function<Digest, Set<PackId>> packsOf) {
        if (!disk.isUsable() || !users.tryAcquire()) {
            return true;
        }
        boolean all = true;
        try {
            for (PackFile file : files.all()) {
                List<Digest> versions =
                        mounted.stream()
                                .filter(version -> packsOf.apply(version).contains(file.id()))
                                .toList();
                for (int index = 0; index < file.chunkCount(); index++) {
                    BitSet wanted = new BitSet();
                    if (!file.isEmpty(index)) {
                        for (Digest version : versions) {
                            wanted.or(live.of(version, new ChunkId(file.id(), index)));
                        }
                        counters.deadBytes.add(file.restrict(index, wanted, mounted));
                        all &= !file.hasOthers(index, wanted);
                    }
                }
            }
        } catch (IOException e) {
            disk.failed(e);
        } finally {
            users.release();
        }
        return all;
    }

    /** The packs of which something may be here. */
    List<PackId> packs() {
        return files.all().stream().map(PackFile::id).toList();
    }

    /** How many chunks a pack has; 0 if nothing of it is here. */
    int chunks(PackId pack) {
        return files.find(pack).map(PackFile::chunkCount).orElse(0);
    }

    /**
     * Compares what is here of a chunk with its checksums, drops what is wrong, and fetches it anew
     * for the versions that have it.
     *
     * @param versions those that are mounted and have the pack
     * @return the bytes that were compared
     */
    long scrub(ChunkId chunk, List<Digest> versions) {
        PackFile file = files.find(chunk.pack()).orElse(null);
        if (file == null
                || file.isEmpty(chunk.index())
                || !disk.isUsable()
                || !users.tryAcquire()) {
            return 0;
        }
        try {
            long compared = file.bytesHere(chunk.index());
            BitSet dropped = file.scrub(chunk.index());
            boolean mended = !versions.isEmpty();
            for (int block = dropped.nextSetBit(0); block >= 0; ) {
                long from = chunk.start() + (long) block * Sizes.BLOCK;
                long to = Math.min(from + Sizes.BLOCK, file.bytes());
                for (Digest version : versions) {
                    mended &= new PieceRead(version, file, from, to).bring();
                }
                block = dropped.nextSetBit(block + 1);
            }
            if (mended) {
                file.mended(dropped.cardinality());
            }
            counters.scrubbedBytes.add(compared);
            return compared;
        } catch (IOException e) {
            disk.failed(e);
            return 0;
        } finally {
            users.release();
        }
    }

    /** A range within one piece on behalf of a version. */
    private final class PieceRead {
        private final Digest manifest;
        private final PackFile file;
        private final ChunkId chunk;
        private final long from;
        private final long to;
        private final BitSet livePages;
        private final BitSet wanted;

        PieceRead(Digest manifest, PackFile file, long from, long to) {
            this.manifest = manifest;
            this.file = file;
            this.chunk = ChunkId.at(file.id(), from);
            this.from = from;
            this.to = to;
            this.livePages = live.of(manifest, chunk);
            this.wanted = Sizes.pagesOf(from, to);
            wanted.and(livePages);
        }

        boolean into(ByteBuffer target) throws IOException {
            if (file.read(from, wanted, target)) {
                counters.hitBytes.add(to - from);
                // Not when it was fetched for this: then one pass would look like use.
                file.touch(chunk.index());
                return true;
            }
            if (source.readHere(chunk, from, target.slice())) {
                return true;
            }
            counters.missBytes.add(to - from);
            Fetch fetch = new Fetch(target);
            for (int attempt = 0; attempt < ATTEMPTS && bring(fetch); attempt++) {
                if (file.read(from, wanted, target)) {
                    return true;
                }
            }
            return fetch.passedOn;
        }

        boolean isHere() {
            return file.missing(chunk.index(), wanted).isEmpty();
        }

        /** Makes it be here; false if that cannot be. */
        boolean bring() throws IOException {
            return bring(new Fetch(null));
        }

        private boolean bring(Fetch fetch) throws IOException {
            for (int attempt = 0; attempt < ATTEMPTS && !isHere(); attempt++) {
                if (flights.lead(file.id(), from, fetch::run) && !fetch.stored) {
                    return false;
                }
            }
            return isHere();
        }

        /** Brings the blocks with pages that are missing. */
        private final class Fetch {
            private final @Nullable ByteBuffer target;
            boolean stored = true;
            boolean passedOn;

            /**
             * @param target where to put the bytes if they cannot be stored
             */
            Fetch(@Nullable ByteBuffer target) {
                this.target = target;
            }

            void run() throws IOException {
                BitSet missing = file.missing(chunk.index(), wanted);
                if (missing.isEmpty()) {
                    return;
                }
                int firstBlock = missing.nextSetBit(0) / Sizes.PAGES_OF_BLOCK;
                int endBlock = (missing.length() - 1) / Sizes.PAGES_OF_BLOCK + 1;
                long start = chunk.start() + (long) firstBlock * Sizes.BLOCK;
                long end = Math.min(chunk.start() + (long) endBlock * Sizes.BLOCK, file.bytes());
                ByteBuffer bytes = buffers.take();
                try (StoredChunk local = source.open(chunk, start, end).orElse(null)) {
                    bytes.limit((int) (end - start));
                    boolean here = local != null && source.read(local, start, bytes);
                    if (!here) {
                        source.read(manifest, file.id(), start, end, bytes.rewind());
                    }
                    stored = store(start, end, bytes.flip(), here ? local : null);
                    if (!stored && target != null && start <= from && to <= end) {
                        target.put(0, bytes, (int) (from - start), (int) (to - from));
                        passedOn = true;
                    }
                } catch (ForebayException e) {
                    // A neighbour in the same block has changed in the lake.
                    if (e.code() != ErrorCode.LAKE_OBJECT_CHANGED) {
                        throw e;
                    }
                    stored = false;
                } finally {
                    buffers.give(bytes);
                }
            }

            private boolean store(
                    long start, long end, ByteBuffer bytes, @Nullable StoredChunk local)
                    throws IOException {
                BitSet pages = Sizes.pagesOf(start, end);
                pages.and(livePages);
                BitSet more = file.missing(chunk.index(), pages);
                long room = (long) more.cardinality() * Sizes.PAGE + PackMap.RECORD_STRIDE;
                if (!space.reserve(room)) {
                    counters.refused.increment();
                    return false;
                }
                try {
                    file.store(start, more, bytes, local);
                    counters.storedBytes.add((long) more.cardinality() * Sizes.PAGE);
                    return true;
                } catch (IOException e) {
                    if (!Disk.isFull(e)) {
                        throw e;
                    }
                    counters.refused.increment();
                    boolean _ = space.evictOne();
                    return false;
                } finally {
                    space.add(-room);
                }
            }
        }
    }

    /** Ends the use of the files, except by reads that do not end themselves within seconds. */
    @Override
    public void close() {
        try {
            if (users.tryAcquire(MAX_USERS, CLOSE_SECONDS, TimeUnit.SECONDS)) {
                files.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
