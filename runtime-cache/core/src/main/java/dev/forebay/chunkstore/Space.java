package dev.forebay.chunkstore;

import dev.forebay.chunkstore.eviction.EvictionPolicy;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The store's bytes and its directory, which change together and one change at a time.
 *
 * <p>Only renames and deletions happen in here; data is written outside. So a chunk is in the index
 * exactly when its file is in its place.
 */
final class Space {

    private final ChunkFiles files;
    private final ChunkIndex index;
    private final Counters counters;
    private final long capacityBytes;
    private final EvictionPolicy<ChunkId> policy;
    private final Predicate<PackId> isProtected;
    private long used;
    private long reserved;

    Space(
            ChunkFiles files,
            ChunkIndex index,
            Counters counters,
            long capacityBytes,
            EvictionPolicy<ChunkId> policy,
            Predicate<PackId> isProtected) {
        this.files = files;
        this.index = index;
        this.counters = counters;
        this.capacityBytes = capacityBytes;
        this.policy = policy;
        this.isProtected = isProtected;
    }

    /** Enters chunks that are on disk already. */
    synchronized void adopt(List<StoreScan.Found> chunks) {
        for (StoreScan.Found found : chunks) {
            ChunkEntry entry = new ChunkEntry(found.id(), found.valid(), policy.add(found.id()));
            index.put(entry);
            used += entry.footprint();
        }
    }

    /**
     * Sets bytes aside for a file to be written, evicting what may be evicted.
     *
     * @throws ForebayException with {@code CAPACITY_EXCEEDED} if that is not enough
     */
    synchronized void reserve(ChunkId wanted, long bytes) {
        while (used + reserved + bytes > capacityBytes) {
            if (!evictOne()) {
                throw new ForebayException(
                        ErrorCode.CAPACITY_EXCEEDED,
                        ("no room for chunk %s: of %d bytes %d are used and %d being written, and"
                                        + " nothing may be evicted")
                                .formatted(wanted, capacityBytes, used, reserved));
            }
        }
        reserved += bytes;
    }

    /** Gives back what was set aside for a file that was not written. */
    synchronized void unreserve(long bytes) {
        reserved -= bytes;
    }

    /**
     * Evicts chunks of at least so many bytes, or all that may be; returns whether there was any.
     */
    synchronized boolean evict(long bytes) {
        long goal = used - bytes;
        boolean any = false;
        while (used > goal && evictOne()) {
            any = true;
        }
        return any;
    }

    private boolean evictOne() {
        Optional<ChunkId> victim = policy.victim(id -> !isProtected.test(id.pack()));
        ChunkEntry entry = victim.map(index::get).orElse(null);
        if (entry == null) {
            return false;
        }
        remove(entry);
        counters.evicted.increment();
        return true;
    }

    /** Makes a written file, for which bytes were reserved, the chunk. */
    synchronized void publish(Path written, ChunkId id, ValidBlocks valid) throws IOException {
        files.publish(written, id);
        ChunkEntry before = index.get(id);
        ChunkEntry entry =
                new ChunkEntry(
                        before == null ? id : before.id(),
                        valid,
                        before == null ? policy.add(id) : before.ticket());
        index.put(entry);
        reserved -= entry.footprint();
        used += entry.footprint() - (before == null ? 0 : before.footprint());
    }

    /** Removes a chunk if it is still the one that {@code entry} describes. */
    synchronized Dropped remove(@Nullable ChunkEntry entry) {
        if (entry == null || !index.remove(entry)) {
            return Dropped.NONE;
        }
        entry.ticket().remove();
        used -= entry.footprint();
        try {
            files.delete(entry.id());
            if (!index.hasPack(entry.id().pack())) {
                files.deleteDirectoryIfEmpty(entry.id().pack());
            }
        } catch (IOException e) {
            counters.diskErrors.increment();
        }
        return new Dropped(1, entry.valid().chunkBytes());
    }

    synchronized long used() {
        return used;
    }

    long capacity() {
        return capacityBytes;
    }
}
