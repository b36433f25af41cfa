package dev.forebay.fuse.nodecache;

import dev.forebay.linux.DiskFile;
import dev.forebay.linux.SystemCallException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A pack on the node's disk: a sparse file that holds nothing but the pack's bytes at their
 * offsets, and its {@link PackMap}. Its parts do the work: what is here is known by {@link
 * CachedChunks}, who relies on it by {@link PackHolds}; it is read by {@link CheckedReader}, stored
 * by {@link PackWriter} and given up by {@link PackEvictor}.
 *
 * <p>Locks are taken in this order: the chunk's (rules: {@link CachedChunks}), then the monitor of
 * {@link Settlement} or of {@link Space}. Safe for use by many threads, each of which has entered
 * it: it is closed when nobody has, and nobody can from then on.
 */
final class PackFile implements AutoCloseable {

    private static final int RETIRED = -1;

    private final PackId id;
    private final Path path;
    private final boolean inherited;
    private final AtomicInteger users = new AtomicInteger();
    private final DiskFile data;
    private final PackMap map;
    private final CachedChunks chunks;
    private final PackHolds holds;
    private final Settlement settlement;
    private final Holes holes;
    private final CheckedReader reader;
    private final PackWriter writer;
    private final PackEvictor evictor;

    private PackFile(
            PackId id,
            Path path,
            boolean inherited,
            DiskFile data,
            PackMap map,
            Space space,
            CacheCounters counters,
            DamageLog damage) {
        this.id = id;
        this.path = path;
        this.inherited = inherited;
        this.data = data;
        this.map = map;
        this.chunks = new CachedChunks(this, map, space);
        this.holds = new PackHolds(data, new FoundWrong(map));
        this.settlement = new Settlement(data, map, chunks);
        this.holes = new Holes(data, map.packBytes());
        Blocks blocks = new Blocks(data, map.packBytes());
        this.reader = new CheckedReader(id, chunks, blocks, holds, settlement, counters, damage);
        this.writer =
                new PackWriter(
                        id, path, data, chunks, blocks, holes, holds, settlement, counters, damage);
        this.evictor =
                new PackEvictor(id, chunks, blocks, holes, holds, settlement, counters, damage);
    }

    /** Makes the files of a pack of which nothing is there. */
    static PackFile create(
            PackId id,
            long bytes,
            Path path,
            Path mapPath,
            Space space,
            CacheCounters counters,
            DamageLog damage)
            throws IOException {
        Files.createFile(path);
        DiskFile data = DiskFile.open(path);
        try {
            data.setLength(bytes);
            PackMap map = PackMap.create(mapPath, id, bytes);
            return new PackFile(id, path, false, data, map, space, counters, damage);
        } catch (IOException e) {
            data.close();
            throw e;
        }
    }

    /**
     * Opens the files of a pack, and gives up what is on disk without being recorded.
     *
     * @throws DamagedMapException if they cannot be believed
     */
    static PackFile open(
            PackId id,
            Path path,
            Path mapPath,
            Space space,
            CacheCounters counters,
            DamageLog damage)
            throws IOException {
        PackMap map = PackMap.open(mapPath, id);
        try {
            long length = Files.size(path);
            if (length != map.packBytes() && length != Sizes.fileBytes(map.packBytes())) {
                throw new DamagedMapException(path + " is not as long as its pack");
            }
            PackFile pack =
                    new PackFile(id, path, true, DiskFile.open(path), map, space, counters, damage);
            boolean loaded = false;
            try {
                pack.load();
                loaded = true;
                return pack;
            } finally {
                if (!loaded) {
                    pack.chunks.abandon();
                    pack.data.close();
                }
            }
        } catch (IOException e) {
            map.close();
            throw e;
        }
    }

    private void load() throws IOException {
        boolean tidy = !map.wasShut() && !holds.isInUse();
        long punchFrom = 0;
        for (int index = 0; index < chunks.count(); index++) {
            BitSet pages = map.read(index).pages();
            if (!pages.isEmpty()) {
                chunks.adopt(index, pages, map.wasShut());
            }
            for (int from = pages.nextSetBit(0); from >= 0 && tidy; ) {
                holes.punch(punchFrom, Sizes.offset(index, from));
                int to = pages.nextClearBit(from);
                punchFrom = Sizes.offset(index, to);
                from = pages.nextSetBit(to);
            }
        }
        if (tidy) {
            holes.punch(punchFrom, bytes());
        }
    }

    PackId id() {
        return id;
    }

    /** Whether its files are those of an earlier process, and not made by this one. */
    boolean isInherited() {
        return inherited;
    }

    /** Begins to use it, until {@link #leave}; false if it is closed, or about to be. */
    boolean enter() {
        return users.getAndUpdate(now -> now == RETIRED ? RETIRED : now + 1) != RETIRED;
    }

    void leave() {
        users.decrementAndGet();
    }

    /**
     * Lets nobody enter any more if nothing is here, and nobody uses it or relies on it. Who finds
     * it afterwards by what it had finds that it has lost that.
     */
    boolean retire() {
        if (!users.compareAndSet(0, RETIRED)) {
            return false;
        }
        if (chunks.isEmpty() && holds.loseIfUnused()) {
            return true;
        }
        users.set(0);
        return false;
    }

    long bytes() {
        return map.packBytes();
    }

    Path path() {
        return path;
    }

    CachedChunks chunks() {
        return chunks;
    }

    PackHolds holds() {
        return holds;
    }

    CheckedReader reader() {
        return reader;
    }

    PackWriter writer() {
        return writer;
    }

    PackEvictor evictor() {
        return evictor;
    }

    /** Has the kernel read bytes into the page cache. */
    void willRead(long from, long to) {
        data.willRead(from, to - from);
    }

    /**
     * Prepares the file to be read without our being asked: it ends with a whole block from now on.
     *
     * @throws SystemCallException if nobody could tell afterwards who has it open
     */
    void lend() throws SystemCallException {
        boolean _ = data.isOpenElsewhere();
        data.setLength(Sizes.fileBytes(bytes()));
    }

    /** Brings everything to the device; see {@link Settlement#settle}. */
    boolean settle() throws IOException {
        return settlement.settle();
    }

    /** How often something that was here of these packs was given up or found wrong. */
    static long losses(List<PackFile> packs) {
        return packs.stream().mapToLong(pack -> pack.holds.losses()).sum();
    }

    @Override
    public void close() {
        data.close();
        map.close();
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
