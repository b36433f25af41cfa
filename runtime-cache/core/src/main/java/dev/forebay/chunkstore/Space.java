package dev.forebay.chunkstore;

import dev.forebay.chunkstore.eviction.EvictionPolicy;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A disk's bytes and files and its directory, which change together and one change at a time.
 *
 * <p>Only renames and deletions happen in here; data is written outside. So a chunk is in the table
 * exactly when its file is in its place. Who asks how much is used waits for none of them.
 */
final class Space {

    /**
     * How many chunks go for one that comes, beyond those whose bytes it needs. Of a store that has
     * been given less room than it uses there may be a hundred thousand too many: to delete those
     * takes longer than a disk may take.
     */
    private static final int MOST_FOR_ONE = 64;

    private final ChunkFiles files;
    private final ChunkTable table;
    private final Counters counters;
    private final StoreLimits limits;
    private final EvictionPolicy policy;
    private final Predicate<PackId> isProtected;
    private final AtomicLong used = new AtomicLong();
    private long reserved;
    private long reservedFiles;

    Space(
            ChunkFiles files,
            ChunkTable table,
            Counters counters,
            StoreLimits limits,
            EvictionPolicy policy,
            Predicate<PackId> isProtected) {
        this.files = files;
        this.table = table;
        this.counters = counters;
        this.limits = limits;
        this.policy = policy;
        this.isProtected = isProtected;
    }

    /**
     * Enters a chunk that is on disk already.
     *
     * @return the file that is too many, if the chunk has two: the last process was about to delete
     *     the one that is not complete
     */
    synchronized @Nullable ChunkName adopt(ChunkId id, ValidBlocks valid) {
        ChunkEntry before = table.get(id);
        if (before != null && before.valid().complete()) {
            return ChunkName.of(id.index(), valid);
        }
        ChunkEntry entry = table.put(id, valid);
        if (before == null) {
            enter(entry);
            return null;
        }
        used.addAndGet(entry.footprint() - before.footprint());
        return before.name();
    }

    private void enter(ChunkEntry entry) {
        policy.add(entry.slot(), entry.id().hashCode());
        used.addAndGet(entry.footprint());
    }

    /**
     * Sets room aside for a file to be written, evicting what may be evicted. If more is too much
     * than the file needs, it goes little by little, with each file that comes.
     *
     * @throws ForebayException with {@code CAPACITY_EXCEEDED} if that is not enough
     */
    synchronized void reserve(ChunkId wanted, long bytes) {
        long before = used.get();
        for (int evicted = 0; isTooMuch(bytes); evicted++) {
            if (evicted >= MOST_FOR_ONE && before - used.get() >= bytes) {
                break;
            }
            if (!evictOne()) {
                throw new ForebayException(
                        ErrorCode.CAPACITY_EXCEEDED,
                        ("no room for chunk %s: of %d bytes %d are used and %d being written, of %d"
                                        + " files %d, and nothing may be evicted")
                                .formatted(
                                        wanted,
                                        limits.bytes(),
                                        used.get(),
                                        reserved,
                                        limits.files(),
                                        table.size() + reservedFiles));
            }
        }
        reserved += bytes;
        reservedFiles++;
    }

    private boolean isTooMuch(long more) {
        return used.get() + reserved + more > limits.bytes()
                || table.size() + reservedFiles + 1 > limits.files();
    }

    /** Gives back what was set aside for a file that was not written. */
    synchronized void unreserve(long bytes) {
        reserved -= bytes;
        reservedFiles--;
    }

    /**
     * Evicts chunks of at least so many bytes, or all that may be; returns whether there was any.
     */
    synchronized boolean evict(long bytes) {
        long goal = used.get() - bytes;
        boolean any = false;
        while (used.get() > goal && evictOne()) {
            any = true;
        }
        return any;
    }

    private boolean evictOne() {
        // With everything pinned, the usual case of a full store, the policy need not look.
        if (table.allPacks(isProtected)) {
            return false;
        }
        int victim = policy.victim(slot -> !isProtected.test(table.pack(slot)));
        if (victim == EvictionPolicy.NONE) {
            return false;
        }
        remove(table.get(table.at(victim)));
        counters.evicted.increment();
        return true;
    }

    /**
     * Makes a written file, for which room was reserved, the chunk, unless what it was made from
     * was removed meanwhile: that must not come back with it.
     *
     * @param from the chunk that the file was made from, null if there was none
     * @return whether it is the chunk now; if not, there is none
     */
    synchronized boolean publish(
            Path written, ChunkId id, ValidBlocks valid, @Nullable ChunkEntry from)
            throws IOException {
        ChunkEntry before = table.get(id);
        if (from != null && (before == null || before.file() != from.file())) {
            return false;
        }
        ChunkName name = ChunkName.of(id.index(), valid);
        files.publish(written, id.pack(), name);
        ChunkEntry entry = table.put(id, valid);
        unreserve(entry.footprint());
        if (before == null) {
            enter(entry);
        } else if (!before.name().equals(name)) {
            delete(before);
        }
        return true;
    }

    /** Removes a chunk if it is still the one that {@code entry} describes. */
    synchronized Dropped remove(@Nullable ChunkEntry entry) {
        if (entry == null || !table.remove(entry)) {
            return Dropped.NONE;
        }
        policy.remove(entry.slot());
        used.addAndGet(-entry.footprint());
        delete(entry);
        return new Dropped(1, entry.length());
    }

    private void delete(ChunkEntry entry) {
        PackId pack = entry.id().pack();
        try {
            files.delete(pack, entry.name());
            if (!table.hasPack(pack)) {
                files.deleteDirectoryIfEmpty(pack);
            }
        } catch (IOException e) {
            counters.diskErrors.increment();
        }
    }

    /** Needs no lock: those who ask must not wait for the disk. */
    long used() {
        return used.get();
    }
}
