package dev.forebay.fuse.nodecache;

import dev.forebay.chunkstore.StoredChunk;
import dev.forebay.fuse.linux.DiskFile;
import dev.forebay.fuse.linux.SystemCallException;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * A pack on the node's disk: a sparse file that holds nothing but the pack's bytes at their
 * offsets, and its {@link PackMap}.
 *
 * <p>Readers of a chunk share its lock, so that nothing they read is given up meanwhile. Bytes are
 * written without it, into pages that are not recorded yet, and recorded under it. Whoever stores
 * must be the only one to store into these blocks. Safe for use by many threads; nobody may use it
 * when it is closed.
 */
final class PackFile implements AutoCloseable {

    private static final int MAX_LOCKS = 64;

    /** How long not to ask again who has the file open. */
    private static final long OPEN_NANOS = Duration.ofSeconds(5).toNanos();

    private final PackId id;
    private final long bytes;
    private final Path path;
    private final DiskFile data;
    private final PackMap map;
    private final Blocks blocks;
    private final Space space;
    private final CacheCounters counters;
    private final AtomicReferenceArray<@Nullable CachedChunk> chunks;
    private final ReadWriteLock[] locks;
    private final AtomicInteger holds = new AtomicInteger();
    private final Map<Digest, Integer> holders = new ConcurrentHashMap<>();
    private final AtomicLong losses = new AtomicLong();

    /** Until when it is taken for granted that somebody else has the file open. */
    private volatile long openUntil = System.nanoTime();

    // Guarded by this.
    private boolean settled;
    private int changes;

    private PackFile(
            PackId id, Path path, DiskFile data, PackMap map, Space space, CacheCounters counters) {
        this.id = id;
        this.bytes = map.packBytes();
        this.path = path;
        this.data = data;
        this.map = map;
        this.space = space;
        this.counters = counters;
        this.settled = map.wasShut();
        this.blocks = new Blocks(data, bytes);
        this.chunks = new AtomicReferenceArray<>(Sizes.chunks(bytes));
        this.locks = new ReadWriteLock[Math.min(chunks.length(), MAX_LOCKS)];
        for (int i = 0; i < locks.length; i++) {
            locks[i] = new ReentrantReadWriteLock();
        }
    }

    /** Makes the files of a pack of which nothing is there. */
    static PackFile create(
            PackId id, long bytes, Path path, Path mapPath, Space space, CacheCounters counters)
            throws IOException {
        Files.createFile(path);
        DiskFile data = DiskFile.open(path);
        try {
            data.setLength(bytes);
            PackMap map = PackMap.create(mapPath, id, bytes);
            return new PackFile(id, path, data, map, space, counters);
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
    static PackFile open(PackId id, Path path, Path mapPath, Space space, CacheCounters counters)
            throws IOException {
        PackMap map = PackMap.open(mapPath, id);
        try {
            long length = Files.size(path);
            if (length != map.packBytes() && length != Sizes.fileBytes(map.packBytes())) {
                throw new DamagedMapException(path + " is not as long as its pack");
            }
            PackFile pack = new PackFile(id, path, DiskFile.open(path), map, space, counters);
            try {
                pack.load();
                return pack;
            } catch (IOException e) {
                pack.data.close();
                throw e;
            }
        } catch (IOException e) {
            map.close();
            throw e;
        }
    }

    private void load() throws IOException {
        boolean tidy = !map.wasShut() && !isInUse();
        long punchFrom = 0;
        for (int index = 0; index < chunks.length(); index++) {
            BitSet pages = map.read(index).pages();
            if (!pages.isEmpty()) {
                CachedChunk chunk = new CachedChunk(this, index);
                chunk.proven = map.wasShut();
                chunks.set(index, chunk);
                publish(chunk, pages);
            }
            for (int from = pages.nextSetBit(0); from >= 0 && tidy; ) {
                punch(punchFrom, Sizes.offset(index, from));
                int to = pages.nextClearBit(from);
                punchFrom = Sizes.offset(index, to);
                from = pages.nextSetBit(to);
            }
        }
        if (tidy) {
            punch(punchFrom, bytes);
        }
    }

    private void punch(int index, BitSet pages) throws IOException {
        for (int first = pages.nextSetBit(0); first >= 0; ) {
            int end = pages.nextClearBit(first);
            punch(Sizes.offset(index, first), Sizes.offset(index, end));
            first = pages.nextSetBit(end);
        }
    }

    private void punch(long from, long to) throws IOException {
        if (from < to) {
            data.punch(from, to - from);
        }
    }

    PackId id() {
        return id;
    }

    long bytes() {
        return bytes;
    }

    Path path() {
        return path;
    }

    int chunkCount() {
        return chunks.length();
    }

    /** Whether nothing is there of it. */
    boolean isEmpty() {
        for (int index = 0; index < chunks.length(); index++) {
            if (!isEmpty(index)) {
                return false;
            }
        }
        return true;
    }

    boolean isEmpty(int index) {
        CachedChunk chunk = chunks.get(index);
        return chunk == null || chunk.slot == Space.NO_SLOT;
    }

    /** How many bytes of a chunk are here. */
    long bytesHere(int index) {
        CachedChunk chunk = chunks.get(index);
        if (chunk == null) {
            return 0;
        }
        Lock lock = lock(index).readLock();
        lock.lock();
        try {
            return (long) chunk.pages().cardinality() * Sizes.PAGE;
        } finally {
            lock.unlock();
        }
    }

    private ReadWriteLock lock(int chunk) {
        return locks[chunk % locks.length];
    }

    /** Enters what is there of a chunk from now on; under its lock. */
    private void publish(CachedChunk chunk, BitSet pages) {
        long grown = CachedChunk.footprint(pages) - CachedChunk.footprint(chunk.pages());
        if (chunk.pages().isEmpty() && !pages.isEmpty()) {
            space.enter(chunk);
        } else if (pages.isEmpty()) {
            space.leave(chunk);
        }
        chunk.pages(pages);
        space.add(grown);
    }

    // ---- Reading ----

    /** Which of the wanted pages of a chunk are not here. */
    BitSet missing(int index, BitSet wanted) {
        BitSet missing = (BitSet) wanted.clone();
        CachedChunk chunk = chunks.get(index);
        if (chunk != null) {
            Lock lock = lock(index).readLock();
            lock.lock();
            try {
                missing.andNot(chunk.pages());
            } finally {
                lock.unlock();
            }
        }
        return missing;
    }

    /**
     * Reads bytes of one chunk and compares the blocks they lie in with their checksums; a block
     * that is wrong is dropped.
     *
     * @param wanted the pages that must be here; others of the range are given as whatever the file
     *     has
     * @param target filled between its position and limit, which stay
     * @return false if not all are here: what is in the target is worth nothing
     */
    boolean read(long from, BitSet wanted, ByteBuffer target) throws IOException {
        int index = Sizes.chunkOf(from);
        CachedChunk chunk = chunks.get(index);
        if (chunk == null) {
            return false;
        }
        int damaged;
        Lock lock = lock(index).readLock();
        lock.lock();
        try {
            if (!chunk.holds(wanted)) {
                return false;
            }
            damaged = blocks.read(map.read(index), from, target);
        } finally {
            lock.unlock();
        }
        if (damaged >= 0) {
            drop(chunk, damaged);
        }
        return damaged < 0;
    }

    /** Whether a chunk has pages besides these. */
    boolean hasOthers(int index, BitSet pages) {
        CachedChunk chunk = chunks.get(index);
        if (chunk == null) {
            return false;
        }
        Lock lock = lock(index).readLock();
        lock.lock();
        try {
            BitSet others = (BitSet) chunk.pages().clone();
            others.andNot(pages);
            return !others.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Has the kernel read bytes into the page cache. */
    void willRead(long from, long to) {
        data.willRead(from, to - from);
    }

    /** Says that a chunk was used again. */
    void touch(int index) {
        CachedChunk chunk = chunks.get(index);
        if (chunk != null) {
            space.touch(chunk);
        }
    }

    /**
     * Compares all that is there of a chunk with its checksums, if that was not done before, and
     * drops what is wrong.
     */
    void prove(int index) throws IOException {
        CachedChunk chunk = chunks.get(index);
        if (chunk == null) {
            return;
        }
        while (true) {
            int damaged;
            Lock lock = lock(index).readLock();
            lock.lock();
            try {
                if (chunk.proven) {
                    return;
                }
                damaged = blocks.verify(map.read(index), index);
            } finally {
                lock.unlock();
            }
            if (damaged < 0) {
                break;
            }
            drop(chunk, damaged);
        }
        // What came in since was proven when it did.
        proven(index, true);
    }

    /**
     * Compares what is there of a chunk with its checksums, and drops what is wrong.
     *
     * @return the blocks that were dropped
     */
    BitSet scrub(int index) throws IOException {
        BitSet dropped = new BitSet();
        CachedChunk chunk = chunks.get(index);
        while (chunk != null) {
            int damaged;
            Lock lock = lock(index).readLock();
            lock.lock();
            try {
                damaged = blocks.verify(map.read(index), index);
            } finally {
                lock.unlock();
            }
            // One that cannot be dropped was found wrong only because it was about to change.
            if (damaged < 0 || dropped.get(damaged)) {
                break;
            }
            drop(chunk, damaged);
            dropped.set(damaged);
        }
        return dropped;
    }

    private void proven(int index, boolean proven) {
        Lock lock = lock(index).writeLock();
        lock.lock();
        try {
            CachedChunk chunk = chunks.get(index);
            if (chunk != null) {
                chunk.proven = proven;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Drops a block that was found wrong, if it still is. */
    private void drop(CachedChunk chunk, int block) throws IOException {
        Lock lock = lock(chunk.index).writeLock();
        beginChange();
        lock.lock();
        try {
            ChunkRecord record = map.read(chunk.index);
            ChunkRecord known = record.pages().equals(chunk.pages()) ? record : ChunkRecord.EMPTY;
            if (known == record
                    && (record.pagesOfBlock(block).isEmpty()
                            || blocks.isIntact(record, chunk.index, block))) {
                return;
            }
            counters.damagedBlocks.increment();
            losses.incrementAndGet();
            record(chunk, known == record ? record.withoutBlock(block) : known);
        } finally {
            lock.unlock();
            endChange();
        }
    }

    // ---- Storing ----

    /**
     * Stores pages of one chunk, beside those it has.
     *
     * @param from of the bytes, a multiple of 64 KiB
     * @param pages which of them to take; none that is recorded
     * @param verified the bytes from {@code from} to the end of a block; the position stays
     * @param local the file they were read from, if it is a chunk's on this node
     */
    void store(long from, BitSet pages, ByteBuffer verified, @Nullable StoredChunk local)
            throws IOException {
        int index = Sizes.chunkOf(from);
        CachedChunk chunk = beginStoring(index);
        beginChange();
        try {
            for (int first = pages.nextSetBit(0); first >= 0; ) {
                int end = pages.nextClearBit(first);
                int at = (int) (Sizes.offset(index, first) - from);
                ByteBuffer run =
                        verified.slice(verified.position() + at, (end - first) * Sizes.PAGE);
                long shared = local == null ? 0 : share(local, index, first, end);
                data.write(
                        MemorySegment.ofBuffer(run).asSlice(shared),
                        Sizes.offset(index, first) + shared);
                first = pages.nextSetBit(end);
            }
            Lock lock = lock(index).writeLock();
            lock.lock();
            try {
                record(chunk, blocks.merge(map.read(index), from, pages, verified));
            } finally {
                lock.unlock();
            }
        } catch (IOException e) {
            giveBack(index, pages);
            throw e;
        } finally {
            endChange();
            endStoring(chunk);
        }
    }

    /**
     * Lets the kernel copy pages from a chunk's file. Between files of one XFS or btrfs that takes
     * no space: they share the extents.
     *
     * @return how many bytes were copied, the first ones
     */
    private long share(StoredChunk local, int index, int first, int end) throws IOException {
        long from = (long) first * Sizes.PAGE;
        long length = (long) (end - first) * Sizes.PAGE;
        long done = 0;
        try (FileChannel target = FileChannel.open(path, StandardOpenOption.WRITE)) {
            target.position(Sizes.offset(index, first));
            long bytes = 1;
            while (done < length && bytes > 0) {
                bytes = local.channel().transferTo(from + done, length - done, target);
                done += bytes;
            }
        }
        return done;
    }

    /** Frees what was written and will not be recorded. */
    private void giveBack(int index, BitSet pages) {
        try {
            punch(index, pages);
        } catch (IOException e) {
            // The next start does it.
            counters.diskErrors.increment();
        }
    }

    private CachedChunk beginStoring(int index) {
        Lock lock = lock(index).writeLock();
        lock.lock();
        try {
            CachedChunk chunk = chunks.get(index);
            if (chunk == null) {
                chunk = new CachedChunk(this, index);
                chunk.proven = true;
                chunks.set(index, chunk);
            }
            chunk.storing++;
            return chunk;
        } finally {
            lock.unlock();
        }
    }

    private void endStoring(CachedChunk chunk) {
        Lock lock = lock(chunk.index).writeLock();
        lock.lock();
        try {
            chunk.storing--;
        } finally {
            lock.unlock();
        }
    }

    /** Records and publishes; under the lock. */
    private void record(CachedChunk chunk, ChunkRecord now) throws IOException {
        map.write(chunk.index, now);
        publish(chunk, now.pages());
    }

    // ---- Giving up ----

    /** Gives up a chunk; the bytes that are free now, or 0 if it is in use. */
    long evict(CachedChunk chunk) throws IOException {
        if (isInUse()) {
            return 0;
        }
        Lock lock = lock(chunk.index).writeLock();
        if (!lock.tryLock()) {
            return 0;
        }
        try {
            // Before the holds are looked at, as who holds looks at it afterwards: one of the two
            // sees the other. And the holds before who has the file open, for until it is open it
            // is
            // held.
            losses.incrementAndGet();
            if (chunk.storing > 0 || isInUse()) {
                losses.decrementAndGet();
                return 0;
            }
            beginChange();
            try {
                long freed = CachedChunk.footprint(chunk.pages());
                record(chunk, ChunkRecord.EMPTY);
                chunk.proven = true;
                long start = Sizes.offset(chunk.index, 0);
                punch(start, Math.min(start + Sizes.CHUNK, bytes));
                return freed;
            } finally {
                endChange();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives up the pages of a chunk that no mounted version has, unless the chunk is in use, a
     * version that is not mounted any more holds the pack, or anybody has its file open.
     *
     * @param live those that some mounted version has
     * @return the bytes that are free now
     */
    long restrict(int index, BitSet live, Set<Digest> mounted) throws IOException {
        CachedChunk chunk = chunks.get(index);
        if (chunk == null) {
            return 0;
        }
        Lock lock = lock(index).writeLock();
        lock.lock();
        try {
            BitSet dead = (BitSet) chunk.pages().clone();
            dead.andNot(live);
            BitSet kept = (BitSet) chunk.pages().clone();
            kept.and(live);
            if (dead.isEmpty()
                    || chunk.storing > 0
                    || !mounted.containsAll(holders.keySet())
                    || isOpen()) {
                return 0;
            }
            beginChange();
            try {
                long before = CachedChunk.footprint(chunk.pages());
                record(chunk, blocks.restrict(map.read(index), index, live));
                punch(index, dead);
                if (!missing(index, kept).isEmpty()) {
                    counters.damagedBlocks.increment();
                    losses.incrementAndGet();
                }
                return before - CachedChunk.footprint(chunk.pages());
            } finally {
                endChange();
            }
        } finally {
            lock.unlock();
        }
    }

    /** From now on until {@link #unhold} nothing that a version has here is given up. */
    void hold(Digest manifest) {
        holders.merge(manifest, 1, Integer::sum);
        holds.incrementAndGet();
    }

    void unhold(Digest manifest) {
        holds.decrementAndGet();
        holders.computeIfPresent(manifest, (_, count) -> count == 1 ? null : count - 1);
    }

    /** Whether it is known that nothing may be given up. */
    boolean isHeld() {
        return holds.get() > 0 || System.nanoTime() - openUntil < 0;
    }

    /** Whether nothing may be given up. */
    private boolean isInUse() {
        return isHeld() || isOpen();
    }

    /** Whether anybody else has the file open: then it may be read without our being asked. */
    private boolean isOpen() {
        try {
            if (data.isOpenElsewhere()) {
                openUntil = System.nanoTime() + OPEN_NANOS;
                return true;
            }
            return false;
        } catch (SystemCallException e) {
            // Nobody is given such a file to read.
            return false;
        }
    }

    /**
     * Prepares the file to be read without our being asked: it ends with a whole block from now on.
     *
     * @throws SystemCallException if nobody could tell afterwards who has it open
     */
    void lend() throws SystemCallException {
        boolean _ = data.isOpenElsewhere();
        data.setLength(Sizes.fileBytes(bytes));
    }

    /** Says that blocks which were found wrong are here again, and right. */
    void mended(int count) {
        losses.addAndGet(-count);
    }

    /** How often something that was here of these packs was given up or found wrong. */
    static long losses(List<PackFile> packs) {
        return packs.stream().mapToLong(pack -> pack.losses.get()).sum();
    }

    // ---- Being sure ----

    private synchronized void beginChange() throws IOException {
        if (settled) {
            map.markOpen();
            settled = false;
        }
        changes++;
    }

    private synchronized void endChange() {
        changes--;
    }

    /**
     * Brings everything to the device and says there that it is. Does nothing if something is being
     * changed, or not all was proven.
     *
     * @return whether it is so
     */
    boolean settle() throws IOException {
        try {
            data.syncData();
            synchronized (this) {
                if (!settled && changes == 0 && isProven()) {
                    data.syncData();
                    map.markShut();
                    settled = true;
                }
                return settled;
            }
        } catch (IOException e) {
            // Nobody knows what the device has of it.
            for (int index = 0; index < chunks.length(); index++) {
                proven(index, false);
            }
            throw e;
        }
    }

    private boolean isProven() {
        for (int index = 0; index < chunks.length(); index++) {
            CachedChunk chunk = chunks.get(index);
            if (chunk != null && !chunk.proven) {
                return false;
            }
        }
        return true;
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
