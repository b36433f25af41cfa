package dev.forebay.worker;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.ChunkStoreStats;
import dev.forebay.chunkstore.LostDisk;
import dev.forebay.membership.Mount;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.worker.fill.ChunkAccess;
import dev.forebay.worker.retention.MountedVersions;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings chunks again that the disk lost: from other workers, else from the lake. Methods block;
 * safe for use by many threads.
 */
final class Repairs {

    private static final Logger LOG = LoggerFactory.getLogger(Repairs.class);

    private final ChunkStore store;
    private final ChunkAccess chunks;
    private final MountedVersions versions;
    private final Predicate<PackId> isProtected;
    private final LongAdder repaired = new LongAdder();
    private volatile boolean closed;

    Repairs(
            ChunkStore store,
            ChunkAccess chunks,
            MountedVersions versions,
            Predicate<PackId> isProtected) {
        this.store = store;
        this.chunks = chunks;
        this.versions = versions;
        this.isProtected = isProtected;
    }

    /**
     * Brings what mounted versions have of a chunk; one that none has is not missed.
     *
     * @throws ForebayException why one of them lacks something; what the others have is brought
     */
    void repair(ChunkId chunk) {
        boolean any = false;
        ForebayException failure = null;
        for (Mount mount : versions.view().mounts()) {
            Digest digest = mount.manifest().digest();
            if (versions.fillable(digest)
                    && versions.packs(mount.manifest()).contains(chunk.pack())) {
                try (MountedVersions.Use use = versions.use(digest)) {
                    ChunkAccess.Version version =
                            new ChunkAccess.Version(
                                    digest, use.manifest(), () -> versions.fillable(digest));
                    chunks.fill(version, chunk, chunk.length(use.packBytes(chunk.pack())));
                    any = true;
                } catch (ForebayException e) {
                    failure = e;
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
        if (any) {
            repaired.increment();
        }
    }

    /**
     * Brings what was on a disk to the others, as long as it is away and there are others: what
     * pins protect, and the rest if it has room.
     */
    void refill(LostDisk disk) {
        LOG.info("Fetching again what was on {}", disk.directory());
        for (PackId pack : disk.packs()) {
            for (ChunkId chunk : disk.chunks(pack)) {
                if (closed || disk.isBack() || store.stats().disks() == 0) {
                    LOG.info("No more of {} is fetched", disk.directory());
                    return;
                }
                if (isProtected.test(pack) || hasRoom()) {
                    tryRepair(chunk);
                }
            }
        }
        LOG.info("Fetched again what was on {} and can be kept", disk.directory());
    }

    private boolean hasRoom() {
        ChunkStoreStats stats = store.stats();
        // Disks fill unevenly; the last twentieth would evict.
        return stats.usedBytes() < stats.capacityBytes() / 20 * 19;
    }

    private void tryRepair(ChunkId chunk) {
        try {
            repair(chunk);
        } catch (RuntimeException | Error e) {
            LOG.warn("Chunk {} is left to its next reader: {}", chunk, e.toString());
        }
    }

    /** Chunks that were brought again. */
    long repaired() {
        return repaired.sum();
    }

    void close() {
        closed = true;
    }
}
