package dev.forebay.chunkstore;

import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.model.Backoff;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.thread.ShutdownSignal;
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
 * Stores the chunks of one worker, in one directory of bounded size or in several. Each directory
 * is on a disk of its own.
 *
 * <p>A chunk file is written beside the others and renamed when it is complete. A process that is
 * killed at any instant leaves whole chunks and at most unfinished files, which the next start
 * removes. Nothing is flushed to the device, so a file may lack bytes after a power failure. Each
 * block has a checksum that its reader compares: a damaged chunk is dropped and fetched again. A
 * start lists the names of files and opens few of them. Memory grows with the number of chunks, not
 * of objects: some 60 bytes for each, and a few more for an incomplete one.
 *
 * <p>A disk that fails or hangs is taken out, with its chunks and its share of the capacity. New
 * chunks are spread over the other disks. A disk that hung and has answered is used again, as at a
 * start.
 *
 * <p>Safe for use by many threads. Calls do file I/O, so do not make them on an event loop. Every
 * method that writes may throw {@link ForebayException} with {@code CAPACITY_EXCEEDED} or, when all
 * disks fail, {@code UNAVAILABLE}. The chunk is then as it was, or gone.
 */
public final class ChunkStore implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ChunkStore.class);

    private static final int STRIPES = 64;

    /** The pauses before a disk is used again that hung more than once. */
    private static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(1), Duration.ofHours(9));

    private volatile List<DiskStore> opened;
    private final int unusable;
    private final Counters counters;
    // Serializes the writers of a chunk, because the second must see the blocks of the first.
    private final ReentrantLock[] writers = new ReentrantLock[STRIPES];
    private volatile Consumer<LostDisk> onLostDisk = _ -> {};
    private volatile Consumer<Path> onReturnedDisk = _ -> {};
    private final Map<Path, Integer> returns = new ConcurrentHashMap<>();
    private final ShutdownSignal closing = new ShutdownSignal();

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
     * Opens a store with the chunks on its disks, and removes unfinished files. Leaves out a
     * directory that cannot be used, unless none is left.
     *
     * @param directories created if missing; the store touches only {@code chunks}, {@code
     *     incoming} and {@code chunks.lock} in them
     * @param limits of all directories together; each gets an equal part
     * @param diskLimits of each disk
     * @param isProtected whether chunks of a pack must not be evicted; every eviction calls it, so
     *     it must be quick and must not call the store
     * @throws ForebayException with {@code UNAVAILABLE} if another worker uses one of the
     *     directories, or no directory can be used
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
                                ErrorCode.UNAVAILABLE,
                                "cannot open chunk store %s (%s): check that its disk is mounted, and that this user may write to it"
                                        .formatted(directory, e),
                                e);
                    }
                    LOG.error(
                            "Cannot use disk {}: serving without it, replace it and restart "
                                    + "the worker",
                            directory,
                            e);
                }
            }
            return new ChunkStore(opened, unusable, counters);
        } catch (RuntimeException e) {
            close(opened);
            throw e;
        }
    }

    /** Opens a store with {@link DiskLimits#DEFAULT} for each disk. */
    public static ChunkStore open(
            List<Path> directories, StoreLimits limits, Predicate<PackId> isProtected) {
        return open(directories, limits, DiskLimits.DEFAULT, isProtected);
    }

    /** Returns the disks that have not failed. */
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

    /**
     * Returns whether the store has any bytes of a chunk. Does not count as use, and makes no disk
     * call.
     */
    public boolean has(ChunkId id) {
        return diskWith(id).isPresent();
    }

    /** Opens a chunk for reading and counts it as used. The caller closes it. */
    public Optional<StoredChunk> find(ChunkId id) {
        return find(id, 0, 0);
    }

    /**
     * Opens a chunk as {@link #find(ChunkId)} does, and reads bytes {@code [from, to)} of it into
     * the page cache. Sending them does not wait for the disk then. A disk that fails or hangs is
     * found before the first byte is sent.
     */
    public Optional<StoredChunk> find(ChunkId id, int from, int to) {
        Optional<StoredChunk> chunk = diskWith(id).flatMap(disk -> disk.find(id, from, to));
        (chunk.isPresent() ? counters.hits : counters.misses).increment();
        return chunk;
    }

    /**
     * Returns whether the store has every byte of {@code [from, to)} of a chunk. Does not count as
     * use. Answers from memory, with one exception: for an incomplete chunk of an earlier process,
     * the first call reads the footer.
     */
    public boolean holds(ChunkId id, int from, int to) {
        return diskWith(id).map(disk -> disk.holds(id, from, to)).orElse(false);
    }

    /**
     * Stores bytes of a chunk, together with those that it has already.
     *
     * <p>Writes nothing if the chunk has them all. Takes only the {@code valid} bytes from {@code
     * data}.
     *
     * @param data as many bytes as the chunk is long; its position does not change
     * @param valid which blocks of {@code data} are valid
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
     * Writes to the disk that has the chunk. If there is none, or it cannot take the bytes, writes
     * to the first disk that can, and moves the chunk there.
     */
    private void putSomewhere(ChunkId id, ByteBuffer data, ValidBlocks valid) {
        Optional<DiskStore> home = diskWith(id);
        ForebayException failure =
                new ForebayException(
                        ErrorCode.UNAVAILABLE,
                        "the store has no usable disk: "
                                + "replace its disks, and restart the worker");
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

    /**
     * Returns the disks in rendezvous order, so that the loss of a disk moves only its own chunks.
     */
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

    /** Removes a chunk, protected or not. Does nothing if the chunk is absent. */
    public Dropped drop(ChunkId id) {
        Dropped dropped = Dropped.NONE;
        for (DiskStore disk : disks()) {
            dropped = dropped.plus(disk.drop(id));
        }
        return dropped;
    }

    /** Reads a chunk from disk and checks all its checksums. Drops the chunk if one is wrong. */
    public Verdict verify(ChunkId id) {
        return diskWith(id).map(disk -> disk.verify(id)).orElse(Verdict.ABSENT);
    }

    /** The result of {@link #verify}. */
    public enum Verdict {
        /** Every checksum was right. */
        INTACT,
        /** The chunk was damaged, unreadable or without a file, and has been dropped. */
        DROPPED,
        /** The store did not have the chunk. */
        ABSENT
    }

    /** Returns the packs that have chunks in the store at this moment. */
    public List<PackId> packs() {
        return disks().stream().flatMap(disk -> disk.packs().stream()).distinct().toList();
    }

    /** Returns the chunks of a pack that are in the store at this moment. */
    public List<ChunkId> chunks(PackId pack) {
        return disks().stream().flatMap(disk -> disk.chunks(pack).stream()).distinct().toList();
    }

    /**
     * Returns an estimate of the disk space, in bytes, that the chunks of a pack occupy at this
     * moment.
     */
    public long footprint(PackId pack) {
        return disks().stream().mapToLong(disk -> disk.footprint(pack)).sum();
    }

    /** Returns the length of a chunk in bytes, or 0 if the chunk is absent. */
    public int length(ChunkId id) {
        return diskWith(id).map(disk -> disk.length(id)).orElse(0);
    }

    /**
     * Sets the listener for disks that fail from now on. It runs on the thread that finds the
     * failure, so it must do its work on another thread.
     */
    public void onLostDisk(Consumer<LostDisk> listener) {
        onLostDisk = listener;
    }

    /**
     * Sets the listener for disks that are used again from now on. It receives the directory of the
     * disk.
     */
    public void onReturnedDisk(Consumer<Path> listener) {
        onReturnedDisk = listener;
    }

    private void listenTo(DiskStore disk) {
        disk.onFailure(lost -> onLostDisk.accept(new LostDisk(lost, () -> !opened.contains(lost))));
        disk.onAnswer(this::takeIn);
    }

    private void takeIn(DiskStore hung) {
        // Backoff: a disk that hangs again and again is used for less and less of the time.
        int before = returns.merge(hung.directory(), 1, Integer::sum) - 1;
        if (closing.within(before == 0 ? Duration.ZERO : BACKOFF.after(before))) {
            return;
        }
        try {
            DiskStore reopened = hung.reopened();
            if (replace(hung, reopened)) {
                keepOneOfEach(reopened);
                LOG.info(
                        "Disk {} answers again, and is used again with its {} chunks",
                        hung.directory(),
                        reopened.size());
                onReturnedDisk.accept(hung.directory());
            } else {
                reopened.close();
            }
        } catch (IOException | RuntimeException e) {
            LOG.error(
                    "Disk {} answers, but cannot be used: serving without it, repair it and restart "
                            + "the worker",
                    hung.directory(),
                    e);
        }
    }

    /**
     * Removes one copy of each chunk that was filled to another disk during the hang. The other
     * disk keeps its copy only if the copy is complete.
     */
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

    /**
     * Puts a reopened disk in the place of the old one. Returns false if the store was closed
     * meanwhile.
     */
    private synchronized boolean replace(DiskStore before, DiskStore reopened) {
        if (closing.hasBegun()) {
            return false;
        }
        listenTo(reopened);
        opened = opened.stream().map(disk -> disk == before ? reopened : disk).toList();
        return true;
    }

    /**
     * Returns how many bytes of whole chunks fit on the usable disks, without their footers. A
     * region counts the bytes of versions, so it must not count on more.
     */
    public long chunkCapacity() {
        long withFooter = ChunkEntry.footprint(ChunkId.CHUNK_BYTES);
        return disks().stream()
                .mapToLong(disk -> disk.limits().bytes() / withFooter * ChunkId.CHUNK_BYTES)
                .sum();
    }

    /** Returns figures for metrics and status. */
    public ChunkStoreStats stats() {
        List<DiskStore> disks = disks();
        return counters.snapshot(
                disks.size(),
                opened.size() + unusable - disks.size(),
                disks.stream().mapToLong(disk -> disk.limits().bytes()).sum(),
                disks.stream().mapToLong(DiskStore::usedBytes).sum(),
                disks.stream().mapToLong(DiskStore::size).sum());
    }

    /**
     * Releases the directories, so that another worker can use them. Chunks that are open stay
     * readable.
     */
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
