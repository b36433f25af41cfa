package dev.forebay.chunkstore;

import dev.forebay.chunkstore.eviction.EvictionPolicy;
import dev.forebay.chunkstore.file.ChunkName;
import dev.forebay.chunkstore.file.ValidBlocks;
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
 * Manages the space of one disk: reserves it, publishes and removes chunk files, and evicts.
 *
 * <p>Table and directory change together, and one change at a time. Only renames and deletions
 * happen under the lock; callers write data outside. A chunk is thus in the table exactly when its
 * file is in its place. {@link #used()} takes no lock.
 */
final class Space {

    /**
     * The most chunks that one reservation evicts beyond what its own bytes need. A store whose
     * limit was reduced may have a hundred thousand chunks too many. Deleting them all would exceed
     * the timeout of the disk.
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
     * Adds a chunk that an earlier process left on disk.
     *
     * @return the surplus file if the chunk has two, otherwise null; the last process was about to
     *     delete the incomplete one
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
     * Reserves space for a file to be written, and evicts chunks if necessary. If the store is far
     * over its limit, each reservation removes only part of the excess.
     *
     * @throws ForebayException with {@code CAPACITY_EXCEEDED} if evictions cannot free enough
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
                        ("no space for chunk %s: of %d bytes %d are used and %d are being "
                                        + "written, of %d files %d exist, and pins or open reads prevent "
                                        + "evictions")
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

    /** Releases a reservation. */
    synchronized void unreserve(long bytes) {
        reserved -= bytes;
        reservedFiles--;
    }

    /**
     * Evicts chunks of at least this many bytes, or all that may be evicted. Returns whether it
     * evicted any.
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
        // Usually everything in a full store is pinned. The policy need not search then.
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
     * Makes a written file, for which space was reserved, the file of the chunk. Does nothing if
     * the chunk whose bytes it contains was removed meanwhile: removed bytes must not come back.
     *
     * @param from the chunk that the file was made from, null if there was none
     * @return whether the file was published; if not, the chunk is absent
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

    /** Removes a chunk if {@code entry} is still current. */
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

    /** Returns the used bytes. Takes no lock, so the caller does not wait for the disk. */
    long used() {
        return used.get();
    }
}
