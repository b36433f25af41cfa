package dev.forebay.chunkstore;

import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.thread.Closing;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The chunks of one worker, in one directory of bounded size or in several, each on a disk of its
 * own.
 *
 * <p>A chunk file is written beside the others and renamed when complete; a process that is killed
 * at any instant leaves whole chunks and at most unfinished files, which the next start removes.
 * Nothing is flushed to the device: after a power failure a file may lack bytes, and as every block
 * has a checksum that its reader compares, it is then dropped and fetched again. A start lists the
 * names of files and opens none. Memory grows with chunks, not with objects: some 60 bytes for
 * each, and a few more for one that is not complete.
 *
 * <p>A disk that fails, or hangs, is taken out with its chunks, and its share of what the store may
 * hold. New chunks are spread over the disks that are left. One that hung and has answered at last
 * is taken in again as at a start.
 *
 * <p>Safe for use by many threads. Calls do file I/O; do not make them on an event loop. Every
 * method that writes may throw {@link ForebayException} with {@code CAPACITY_EXCEEDED} or, when all
 * disks fail, {@code UNAVAILABLE}; the chunk is then as it was, or gone.
 */
public final class ChunkStore implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ChunkStore.class);

    private static final int STRIPES = 64;

    /**
     * How long a disk rests that hung the second time, when it has answered; after each further
     * time twice as long and this, up to some nine hours.
     */
    private static final Duration FIRST_REST = Duration.ofSeconds(1);

    private static final int MOST_DOUBLED = 15;

    private volatile List<DiskStore> opened;
    private final int unusable;
    private final Counters counters;
    // Of two writers of one chunk the second must see the first's blocks.
    private final ReentrantLock[] writers = new ReentrantLock[STRIPES];
    private volatile Consumer<LostDisk> onLostDisk = _ -> {};
    private volatile Consumer<Path> onReturnedDisk = _ -> {};
    private final Map<Path, Integer> returns = new ConcurrentHashMap<>();
    private final Closing closing = new Closing();

    private ChunkStore(List<DiskStore> opened, int unusable, Counters counters) {
        this.opened = List.copyOf(opened);
        this.unusable = unusable;
        this.counters = counters;
        for (int i = 0; i < STRIPES; i++) {
            writers[i] = new ReentrantLock();
        }
        opened.forEach(this::listenTo);
    }

    /**
     * Opens a store with the chunks that are there, and removes unfinished files. A directory that
     * cannot be used is left out, unless it is the last one.
     *
     * @param directories created if they are not there; nothing but {@code chunks}, {@code
     *     incoming} and {@code chunks.lock} in them is touched
     * @param limits of all together; each has an equal part
     * @param diskLimits of each
     * @param isProtected whether chunks of a pack must not be evicted; asked at every eviction, so
     *     it must be quick and must not call the store
     * @throws ForebayException with {@code UNAVAILABLE} if another worker has one of the
     *     directories, or none can be used
     */
    public static ChunkStore open(
            List<Path> directories,
            StoreLimits limits,
            DiskLimits diskLimits,
            Predicate<PackId> isProtected) {
        Counters counters = new Counters();
        List<DiskStore> opened = new ArrayList<>();
        int unusable = 0;
        try {
            for (Path directory : directories) {
                try {
                    StoreLimits share = limits.dividedBy(directories.size());
                    opened.add(DiskStore.open(directory, share, diskLimits, counters, isProtected));
                } catch (IOException e) {
                    if (++unusable == directories.size()) {
                        throw new ForebayException(
                                ErrorCode.UNAVAILABLE, "cannot open chunk store " + directory, e);
                    }
                    LOG.error("Disk {} cannot be used and is left alone", directory, e);
                }
            }
            return new ChunkStore(opened, unusable, counters);
        } catch (RuntimeException e) {
            close(opened);
            throw e;
        }
    }

    /** Opens a store whose disks are used as {@link DiskLimits#DEFAULT} says. */
    public static ChunkStore open(
            List<Path> directories, StoreLimits limits, Predicate<PackId> isProtected) {
        return open(directories, limits, DiskLimits.DEFAULT, isProtected);
    }

    /** The disks that have not failed. */
    private List<DiskStore> disks() {
        List<DiskStore> all = opened;
        for (DiskStore disk : all) {
            if (disk.hasFailed()) {
                return all.stream().filter(each -> !each.hasFailed()).toList();
            }
        }
        return all;
    }

    private Optional<DiskStore> diskWith(ChunkId id) {
        return disks().stream().filter(disk -> disk.has(id)).findFirst();
    }

    /** Whether anything of a chunk is here. Does not count as use, and asks no disk. */
    public boolean has(ChunkId id) {
        return diskWith(id).isPresent();
    }

    /** Opens a chunk for reading and counts it as used. Close what is returned. */
    public Optional<StoredChunk> find(ChunkId id) {
        return find(id, 0, 0);
    }

    /**
     * Opens a chunk as {@link #find(ChunkId)} does, and brings bytes {@code [from, to)} of it into
     * the page cache: who sends them need not wait for the disk, and one that fails, or hangs, is
     * met before the first is sent.
     */
    public Optional<StoredChunk> find(ChunkId id, int from, int to) {
        Optional<StoredChunk> chunk = diskWith(id).flatMap(disk -> disk.find(id, from, to));
        (chunk.isPresent() ? counters.hits : counters.misses).increment();
        return chunk;
    }

    /**
     * Whether every byte of {@code [from, to)} of a chunk is here. Does not count as use. Answers
     * from memory, but for an incomplete chunk that an earlier process left: the first time its
     * footer is read.
     */
    public boolean holds(ChunkId id, int from, int to) {
        return diskWith(id).map(disk -> disk.holds(id, from, to)).orElse(false);
    }

    /**
     * Stores bytes of a chunk, together with those it has already.
     *
     * <p>Writes nothing if it has them all. Bytes that are not {@code valid} are not taken from
     * {@code data}.
     *
     * @param data as many bytes as the chunk is long; its position stays
     * @param valid which of them are what they should be
     */
    public void put(ChunkId id, ByteBuffer data, ValidBlocks valid) {
        if (data.remaining() != valid.chunkBytes()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%d bytes for chunk %s of %d"
                            .formatted(data.remaining(), id, valid.chunkBytes()));
        }
        ReentrantLock writer = writerOf(id);
        writer.lock();
        try {
            putSomewhere(id, data, valid);
        } finally {
            writer.unlock();
        }
    }

    private ReentrantLock writerOf(ChunkId id) {
        return writers[Math.floorMod(id.hashCode(), STRIPES)];
    }

    /**
     * On the disk that has the chunk; else, or if that fails, on the first that can take it, with
     * what the other one has of it.
     */
    private void putSomewhere(ChunkId id, ByteBuffer data, ValidBlocks valid) {
        Optional<DiskStore> home = diskWith(id);
        ForebayException failure =
                new ForebayException(ErrorCode.UNAVAILABLE, "no disk of the store is left");
        for (DiskStore disk : ranked(id, home)) {
            Optional<DiskStore> leaves = home.filter(before -> before != disk);
            try (StoredChunk there = leaves.flatMap(before -> before.find(id, 0, 0)).orElse(null)) {
                disk.put(id, data, valid, there);
                leaves.ifPresent(before -> before.drop(id));
                return;
            } catch (ForebayException e) {
                if (e.code() != ErrorCode.CAPACITY_EXCEEDED && e.code() != ErrorCode.UNAVAILABLE) {
                    throw e;
                }
                failure = e;
            }
        }
        throw failure;
    }

    /** By rendezvous hashing, so that a disk that goes moves only its own chunks. */
    private List<DiskStore> ranked(ChunkId id, Optional<DiskStore> first) {
        return disks().stream()
                .sorted(
                        Comparator.<DiskStore, Boolean>comparing(
                                        disk -> !first.equals(Optional.of(disk)))
                                .thenComparing(disk -> weight(id, disk)))
                .toList();
    }

    private static long weight(ChunkId id, DiskStore disk) {
        long mixed =
                (((long) id.hashCode() << 32) | Integer.toUnsignedLong(disk.directory().hashCode()))
                        * 0x9e3779b97f4a7c15L;
        return (mixed ^ (mixed >>> 32)) * 0xbf58476d1ce4e5b9L;
    }

    /** Removes a chunk, protected or not; does nothing if it is not here. */
    public Dropped drop(ChunkId id) {
        Dropped dropped = Dropped.NONE;
        for (DiskStore disk : disks()) {
            dropped = dropped.plus(disk.drop(id));
        }
        return dropped;
    }

    /** Reads a chunk from disk, compares all its checksums, and drops it if one is wrong. */
    public Verdict verify(ChunkId id) {
        return diskWith(id).map(disk -> disk.verify(id)).orElse(Verdict.ABSENT);
    }

    /** What {@link #verify} found. */
    public enum Verdict {
        /** Every checksum was right. */
        INTACT,
        /** It was damaged, could not be read or had lost its file, and is gone now. */
        DROPPED,
        /** It was not here. */
        ABSENT
    }

    /** The packs of which there are chunks, at this moment. */
    public List<PackId> packs() {
        return disks().stream().flatMap(disk -> disk.packs().stream()).distinct().toList();
    }

    /** The chunks of a pack that are here, at this moment. */
    public List<ChunkId> chunks(PackId pack) {
        return disks().stream().flatMap(disk -> disk.chunks(pack).stream()).distinct().toList();
    }

    /** How many bytes of the disks the chunks of a pack are reckoned to occupy, at this moment. */
    public long footprint(PackId pack) {
        return disks().stream().mapToLong(disk -> disk.footprint(pack)).sum();
    }

    /** The length of a chunk in bytes, 0 if it is not here. */
    public int length(ChunkId id) {
        return diskWith(id).map(disk -> disk.length(id)).orElse(0);
    }

    /**
     * Has somebody told of each disk that fails from now on, on the thread that finds out: what is
     * done about it must be done on another.
     */
    public void onLostDisk(Consumer<LostDisk> listener) {
        onLostDisk = listener;
    }

    /** Has somebody told of each disk that is taken in again from now on; its directory. */
    public void onReturnedDisk(Consumer<Path> listener) {
        onReturnedDisk = listener;
    }

    private void listenTo(DiskStore disk) {
        disk.onFailure(lost -> onLostDisk.accept(new LostDisk(lost, () -> !opened.contains(lost))));
        disk.onAnswer(this::takeIn);
    }

    private void takeIn(DiskStore hung) {
        // One that hangs again and again is used for less and less of the time.
        int before = returns.merge(hung.directory(), 1, Integer::sum) - 1;
        if (closing.within(FIRST_REST.multipliedBy((1L << Math.min(before, MOST_DOUBLED)) - 1))) {
            return;
        }
        try {
            DiskStore anew = hung.anew();
            if (replace(hung, anew)) {
                keepOneOfEach(anew);
                LOG.info(
                        "Disk {} answers, and is used again with the {} chunks on it",
                        hung.directory(),
                        anew.size());
                onReturnedDisk.accept(hung.directory());
            } else {
                anew.close();
            }
        } catch (IOException | RuntimeException e) {
            LOG.error(
                    "Disk {} answers, but cannot be used, and is left alone from now on",
                    hung.directory(),
                    e);
        }
    }

    /** What was brought to other disks meanwhile stays on one, where all of it is. */
    private void keepOneOfEach(DiskStore returned) {
        for (PackId pack : returned.packs()) {
            for (ChunkId id : returned.chunks(pack)) {
                ReentrantLock writer = writerOf(id);
                writer.lock();
                try {
                    for (DiskStore other : disks()) {
                        if (other != returned && other.has(id)) {
                            boolean whole = other.holds(id, 0, other.length(id));
                            (whole ? returned : other).drop(id);
                        }
                    }
                } finally {
                    writer.unlock();
                }
            }
        }
    }

    /** False if the store was closed meanwhile. */
    private synchronized boolean replace(DiskStore before, DiskStore anew) {
        if (closing.hasBegun()) {
            return false;
        }
        listenTo(anew);
        opened = opened.stream().map(disk -> disk == before ? anew : disk).toList();
        return true;
    }

    /** Figures for metrics and status. */
    public ChunkStoreStats stats() {
        List<DiskStore> disks = disks();
        return counters.snapshot(
                disks.size(),
                opened.size() + unusable - disks.size(),
                disks.stream().mapToLong(disk -> disk.limits().bytes()).sum(),
                disks.stream().mapToLong(DiskStore::usedBytes).sum(),
                disks.stream().mapToLong(DiskStore::size).sum());
    }

    /** Lets another worker have the directories. Chunks that are open stay readable. */
    @Override
    public synchronized void close() {
        closing.begin();
        close(opened);
    }

    private static void close(List<DiskStore> disks) {
        for (DiskStore disk : disks) {
            try {
                disk.close();
            } catch (IOException e) {
                LOG.warn("Cannot unlock {}", disk.directory(), e);
            }
        }
    }
}
