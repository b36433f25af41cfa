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
 * A pack on the node's disk: a sparse file of the pack's bytes at their offsets, and its {@link
 * PackMap}. {@link CachedChunks} knows what is cached, and {@link PackHolds} what is protected.
 * {@link CheckedReader} reads, {@link PackWriter} stores and {@link PackEvictor} removes.
 *
 * <p>Locks are taken in this order: the chunk's (rules: {@link CachedChunks}), then the monitor of
 * {@link PackConsistency} or of {@link CacheCapacity}. Thread-safe for threads that have called
 * {@link #enter}. The pack is closed only when no thread is inside, and none can enter after that.
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
    private final PackConsistency consistency;
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
            CacheCapacity space,
            CacheCounters counters,
            DamageLog damage) {
        this.id = id;
        this.path = path;
        this.inherited = inherited;
        this.data = data;
        this.map = map;
        this.chunks = new CachedChunks(this, map, space);
        this.holds = new PackHolds(data, new DamageMark(map));
        this.consistency = new PackConsistency(data, map, chunks);
        this.holes = new Holes(data, map.packBytes());
        Blocks blocks = new Blocks(data, map.packBytes());
        this.reader = new CheckedReader(id, chunks, blocks, holds, consistency, counters, damage);
        this.writer =
                new PackWriter(
                        id,
                        path,
                        data,
                        chunks,
                        blocks,
                        holes,
                        holds,
                        consistency,
                        counters,
                        damage);
        this.evictor =
                new PackEvictor(id, chunks, blocks, holes, holds, consistency, counters, damage);
    }

    /** Creates the files of a pack without any cached page. */
    static PackFile create(
            PackId id,
            long bytes,
            Path path,
            Path mapPath,
            CacheCapacity space,
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
     * Opens the files of a pack, and frees bytes on disk that are not recorded.
     *
     * @throws DamagedMapException if the files are damaged
     */
    static PackFile open(
            PackId id,
            Path path,
            Path mapPath,
            CacheCapacity space,
            CacheCounters counters,
            DamageLog damage)
            throws IOException {
        PackMap map = PackMap.open(mapPath, id);
        try {
            long length = Files.size(path);
            if (length != map.packBytes() && length != PackUnits.fileBytes(map.packBytes())) {
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
                holes.punch(punchFrom, PackUnits.offset(index, from));
                int to = pages.nextClearBit(from);
                punchFrom = PackUnits.offset(index, to);
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

    /** Returns whether an earlier process created its files. */
    boolean isInherited() {
        return inherited;
    }

    /** Starts to use it, until {@link #leave}; returns false if it is closed or about to be. */
    boolean enter() {
        return users.getAndUpdate(now -> now == RETIRED ? RETIRED : now + 1) != RETIRED;
    }

    void leave() {
        users.decrementAndGet();
    }

    /**
     * Prevents further use if nothing is cached, and the pack is neither used nor held. A thread
     * that finds it later by an earlier reference sees the loss.
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

    /** Makes the kernel read bytes into the page cache. */
    void willRead(long from, long to) {
        data.willRead(from, to - from);
    }

    /**
     * Prepares the file for direct reads by the kernel: from now on it ends with a whole block.
     *
     * @throws SystemCallException if the file system could not tell later whether the file is open
     */
    void lend() throws SystemCallException {
        boolean _ = data.isOpenElsewhere();
        data.setLength(PackUnits.fileBytes(bytes()));
    }

    /** Syncs everything to the device; see {@link PackConsistency#settle}. */
    boolean settle() throws IOException {
        return consistency.settle();
    }

    /** Returns how often cached pages of these packs were removed or damaged. */
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
