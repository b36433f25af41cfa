package dev.forebay.worker.retention;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.Dropped;
import dev.forebay.membership.Mount;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.thread.PeriodicTask;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Garbage collector for chunks that no mounted version needs. They appear when a worker returns
 * that was down while their version was evicted.
 *
 * <p>In doubt it removes nothing. It waits while etcd is down, while a mounted manifest cannot be
 * read, and while a row of a later release may claim chunks. It also waits while no version is
 * mounted at all, because a region that has lost its etcd looks like this. It removes a chunk only
 * if the previous scan found it unneeded as well. Keeps one bit per chunk between scans.
 */
public final class OrphanChunkCollector implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OrphanChunkCollector.class);

    private final ChunkStore store;
    private final MountedVersions versions;
    private final BooleanSupplier inTouch;
    private final Duration perChunk;
    private final PeriodicTask task;

    private Map<PackId, BitSet> suspects = Map.of();
    private volatile Dropped total = Dropped.NONE;

    /**
     * @param inTouch whether the mount table is known to be current
     * @param interval the time between two scans
     * @param bytesPerSecond the rate of removal, more than 0
     */
    public OrphanChunkCollector(
            ChunkStore store,
            MountedVersions versions,
            BooleanSupplier inTouch,
            Duration interval,
            long bytesPerSecond) {
        this.store = store;
        this.versions = versions;
        this.inTouch = inTouch;
        this.task =
                new PeriodicTask(
                        Thread.ofVirtual().name("orphans"),
                        interval,
                        "Cannot check for orphaned chunks",
                        this::sweepOnce);
        this.perChunk = Duration.ofNanos((long) (1e9 * ChunkId.CHUNK_BYTES / bytesPerSecond));
    }

    /** Scans now and then once per interval, until closed. */
    public void start() {
        task.start();
    }

    /**
     * Removes the chunks that neither this scan nor the previous one found needed. Single-threaded.
     *
     * @throws ForebayException if the manifest of a mounted version cannot be read
     */
    void sweepOnce() {
        if (!versions.ready() || !inTouch.getAsBoolean()) {
            return;
        }
        List<Mount> mounts = versions.view().mounts();
        if (mounts.isEmpty() || versions.view().hidesClaims()) {
            suspects = Map.of();
            return;
        }
        Set<PackId> packs = Set.copyOf(store.packs());
        NeededChunks needed =
                versions.needed(mounts.stream().map(Mount::manifest).distinct().toList(), packs);
        Map<PackId, BitSet> before = suspects;
        suspects = orphans(packs, needed);
        drop(
                suspects,
                before,
                mounts.stream()
                        .map(mount -> mount.manifest().digest())
                        .collect(Collectors.toSet()));
    }

    private Map<PackId, BitSet> orphans(Set<PackId> packs, NeededChunks needed) {
        Map<PackId, BitSet> orphans = new HashMap<>();
        for (PackId pack : packs) {
            for (ChunkId chunk : store.chunks(pack)) {
                if (!needed.has(chunk)) {
                    orphans.computeIfAbsent(pack, _ -> new BitSet()).set(chunk.index());
                }
            }
        }
        return orphans;
    }

    /**
     * Removes the chunks that both scans found unneeded.
     *
     * @param known the mounted manifests of this scan, none of which needs them
     */
    private void drop(Map<PackId, BitSet> now, Map<PackId, BitSet> earlier, Set<Digest> known) {
        Dropped before = total;
        for (Map.Entry<PackId, BitSet> each : now.entrySet()) {
            BitSet doomed = (BitSet) each.getValue().clone();
            doomed.and(earlier.getOrDefault(each.getKey(), new BitSet()));
            if (!drop(each.getKey(), doomed, known)) {
                break;
            }
        }
        if (!total.equals(before)) {
            LOG.info(
                    "Removed {} orphaned chunks, which no mounted version needs",
                    total.chunks() - before.chunks());
        }
    }

    /** Returns whether the removal may continue. */
    private boolean drop(PackId pack, BitSet doomed, Set<Digest> known) {
        for (int index = doomed.nextSetBit(0); index >= 0; index = doomed.nextSetBit(index + 1)) {
            ChunkId chunk = new ChunkId(pack, index);
            // The mount table may have changed since the scan, so each chunk is checked again.
            boolean mayGo =
                    inTouch.getAsBoolean()
                            && versions.unlessOthers(
                                    known, () -> total = total.plus(store.drop(chunk)));
            if (!mayGo || task.within(perChunk)) {
                return false;
            }
        }
        return true;
    }

    /** Returns what was removed since the start. */
    public Dropped total() {
        return total;
    }

    @Override
    public void close() {
        task.close();
    }
}
