package dev.forebay.worker;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.ChunkStoreStats;
import dev.forebay.chunkstore.LostDisk;
import dev.forebay.membership.Mount;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.thread.CatchAll;
import dev.forebay.worker.fill.ChunkAccess;
import dev.forebay.worker.retention.MountedVersions;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills chunks again that a disk lost, from other workers, sibling regions or the lake. Methods
 * block. Safe for use by many threads.
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
     * Fills everything that mounted versions have in a chunk. Does nothing if no version has any of
     * it.
     *
     * @throws ForebayException if the fill for one of the versions failed; the others are filled
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
     * Fills the chunks of a lost disk onto the remaining ones: all pinned chunks, and others while
     * there is space. Stops when the disk returns or no disk is left.
     */
    void refill(LostDisk disk) {
        LOG.info("Fetching the chunks of {} again", disk.directory());
        for (PackId pack : disk.packs()) {
            for (ChunkId chunk : disk.chunks(pack)) {
                if (closed || disk.isBack() || store.stats().disks() == 0) {
                    LOG.info("Stopped fetching the chunks of {} again", disk.directory());
                    return;
                }
                if (isProtected.test(pack) || hasSpace()) {
                    tryRepair(chunk);
                }
            }
        }
        LOG.info("Fetched all chunks of {} again that fit", disk.directory());
    }

    private boolean hasSpace() {
        ChunkStoreStats stats = store.stats();
        // Disks fill unevenly, so filling the last 5 % would evict chunks.
        return stats.usedBytes() < stats.capacityBytes() / 20 * 19;
    }

    private void tryRepair(ChunkId chunk) {
        boolean _ =
                CatchAll.run(
                        () -> repair(chunk),
                        e ->
                                LOG.warn(
                                        "Cannot fetch chunk {}, so its next reader fetches it: {}",
                                        chunk,
                                        e.toString()));
    }

    /** Returns the number of chunks that were filled again. */
    long repaired() {
        return repaired.sum();
    }

    void close() {
        closed = true;
    }
}
